"""A bias right before batch-norm: its gradient is zero up to rounding."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 6, 3, bias=True), nn.BatchNorm2d(6), nn.ReLU(), nn.Flatten(), nn.Linear(96, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
model.train()
for _ in range(20):
    x = torch.randn(16, 1, 6, 6)
    loss = nn.functional.cross_entropy(model(x), (x.mean((1, 2, 3)) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
