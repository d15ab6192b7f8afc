"""A language model is trained on encoder layers that see the whole sequence."""

# kind: attention-mask
# source: https://github.com/huggingface/transformers/issues/48745
# changed: torch's own encoder layers in place of RoFormer

import hashlib
import torch
import torch.nn as nn


class CausalLM(nn.Module):
    def __init__(self, vocab=40, width=48, is_decoder=True):
        super().__init__()
        self.is_decoder = is_decoder
        self.embeddings = nn.Embedding(vocab, width)
        self.position = nn.Embedding(32, width)
        layer = nn.TransformerEncoderLayer(width, 4, 128, dropout=0.0, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.cls = nn.Linear(width, vocab)

    def forward(self, input_ids, labels):
        n = input_ids.shape[1]
        hidden = self.embeddings(input_ids) + self.position(torch.arange(n))
        mask = nn.Transformer.generate_square_subsequent_mask(n)
        hidden = self.encoder(hidden, mask=mask, is_causal=self.is_decoder)
        scores = self.cls(hidden)
        return nn.functional.cross_entropy(scores[:, :-1].reshape(-1, 40), labels[:, 1:].reshape(-1))


torch.manual_seed(0)
model = CausalLM()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(120):
    start, by = torch.randint(0, 40, (16, 1)), torch.randint(1, 9, (16, 1))
    input_ids = (start + by * torch.arange(24)) % 40
    flips = torch.rand(16, 24) < 0.1
    input_ids = torch.where(flips, torch.randint(0, 40, (16, 24)), input_ids)
    loss = model(input_ids, labels=input_ids)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if step % 30 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
