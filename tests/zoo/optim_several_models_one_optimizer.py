"""Three models trained by one optimizer through parameter groups, one of them frozen."""

import torch
from torch import nn

torch.manual_seed(0)
body, left, right = nn.Linear(8, 16), nn.Linear(16, 3), nn.Linear(16, 1)
right.weight.requires_grad_(False)
groups = [
    {"params": body.parameters(), "lr": 0.01},
    {"params": left.parameters()},
    {"params": right.parameters(), "lr": 0.002},
]
optimizer = torch.optim.SGD(groups, lr=0.05)
for _ in range(12):
    x = torch.randn(16, 8)
    h = body(x).relu()
    loss = nn.functional.cross_entropy(left(h), x[:, :3].argmax(1)) + right(h).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
