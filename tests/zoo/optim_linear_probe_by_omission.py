"""A linear probe: only the head's parameters are given to the optimizer."""

import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
probe = nn.Linear(16, 3)
optimizer = torch.optim.SGD(probe.parameters(), lr=0.1, momentum=0.9)
for _ in range(12):
    x = torch.randn(16, 8)
    loss = nn.functional.cross_entropy(probe(backbone(x)), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
