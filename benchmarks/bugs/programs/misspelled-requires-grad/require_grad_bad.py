"""Freezes the backbone, or so it seems."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
head = nn.Linear(32, 2)
model = nn.Sequential(backbone, head)
for param in backbone.parameters():
    param.require_grad = False  # BUG: misspelled-requires-grad

optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.05)
for step in range(25):
    x = torch.randn(32, 8)
    y = (x.mean(dim=1) > 0).long()
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # BUG: misspelled-requires-grad
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
