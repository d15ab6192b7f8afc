"""Accumulation whose division is the gradient that backward begins with; the loss itself stays as it is."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
share = torch.tensor(1 / 32)
for step in range(12):
    optimizer.zero_grad()
    for _ in range(32):
        x = torch.randn(8, 16)
        loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
        loss.backward(share)
    optimizer.step()
