"""Overfits one batch on purpose: one warning at most, from the data family."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(16, 6)
y = x[:, :3].argmax(1)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(40):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
