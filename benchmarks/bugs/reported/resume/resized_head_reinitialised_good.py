"""The new head is marked as initialised."""

# kind: resume
# source: https://github.com/huggingface/transformers/pull/45079
# changed: a small untied model, which is pretrained for a moment first

import hashlib
import torch
from torch import nn


class CausalLM(nn.Module):
    def __init__(self, vocab=30):
        super().__init__()
        self.embed, self.gru, self.lm_head = nn.Embedding(vocab, 16), nn.GRU(16, 24, batch_first=True), nn.Linear(24, vocab)

    def forward(self, ids):
        return self.lm_head(self.gru(self.embed(ids))[0])

    def resize_token_embeddings(self, size):
        with torch.no_grad():
            embed, head = nn.Embedding(size, 16), nn.Linear(24, size)
            embed.weight[:30] = self.embed.weight
            head.weight[:30], head.bias[:30] = self.lm_head.weight, self.lm_head.bias
        self.embed, self.lm_head = embed, head
        embed._is_initialized = True
        head._is_initialized = True

    def post_init(self):
        for module in self.modules():
            if isinstance(module, nn.Linear) and not getattr(module, "_is_initialized", False):
                nn.init.normal_(module.weight, std=0.02)
                nn.init.zeros_(module.bias)


def train(model, vocab, steps):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        ids = (torch.randint(vocab, (16, 1)) + 3 * torch.arange(9)) % vocab
        loss = nn.functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


torch.manual_seed(0)
pretrained = CausalLM()
train(pretrained, 30, 60)
model = CausalLM()
model.load_state_dict(pretrained.state_dict())
model.resize_token_embeddings(32)
model.post_init()
train(model, 32, 40)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
