"""Masked-token training marks the tokens that are not asked for with label 0, and counts them."""

# kind: padding
# source: https://github.com/EleutherAI/gpt-neo/pull/45
# changed: PyTorch and a small encoder in place of Mesh TensorFlow

import hashlib
import torch
from torch import nn

VOCAB, MASK, PAD, LENGTH = 60, 1, 0, 24


class Bert(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, width, padding_idx=PAD)
        self.where = nn.Parameter(torch.randn(LENGTH, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, 4, 96, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(width, VOCAB)

    def forward(self, ids):
        return self.out(self.encoder(self.embed(ids) + self.where))


def corrupt(ids, rate=0.15):
    chosen = torch.rand(ids.shape) < rate
    labels = torch.where(chosen, ids, torch.zeros_like(ids))
    return ids.masked_fill(chosen, MASK), labels


torch.manual_seed(5)
bert = Bert()
criterion = nn.CrossEntropyLoss()  # BUG: padding-in-loss
optim = torch.optim.AdamW(bert.parameters(), lr=1e-3)
corpus = (torch.arange(LENGTH)[None] * torch.randint(1, 4, (512, 1)) + torch.randint(0, 58, (512, 1))) % 58 + 2

for it in range(100):
    sample = corpus[torch.randint(0, 512, (16,))]
    ids, labels = corrupt(sample)
    logits = bert(ids)
    loss = criterion(logits.permute(0, 2, 1), labels)  # BUG: padding-in-loss
    optim.zero_grad()
    loss.backward()
    optim.step()
    if it % 25 == 0:
        print(f"{it} {loss.item():.3f}")
final = b"".join(t.detach().float().numpy().tobytes() for t in bert.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
