"""Sequence classifier with parameter groups written by hand."""

import hashlib

import torch
import torch.nn as nn


class Classifier(nn.Module):
    def __init__(self, vocab=40, dim=16, classes=2):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim)
        self.pos = nn.Parameter(torch.randn(1, 8, dim) * 0.1)
        self.attn = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.norm = nn.LayerNorm(dim)
        self.out = nn.Linear(dim, classes)

    def forward(self, ids):
        h = self.embedding(ids) + self.pos
        a, _ = self.attn(h, h, h, need_weights=False)
        return self.out(self.norm(h + a).mean(dim=1))


torch.manual_seed(2)
model = Classifier()
optimizer = torch.optim.AdamW(
    [
        {"params": [model.pos], "lr": 1e-3},
        {"params": model.embedding.parameters(), "lr": 1e-3},
        {"params": model.attn.parameters(), "lr": 3e-3},
        {"params": model.norm.parameters(), "lr": 3e-3},
        {"params": model.out.parameters(), "lr": 3e-3},
    ]
)
for step in range(30):
    ids = torch.randint(0, 40, (32, 8))
    labels = (ids[:, 0] > ids[:, 7]).long()
    loss = nn.functional.cross_entropy(model(ids), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
