"""A small network that steps after so many micro-batches."""

import sys

import torch
from torch import nn

steps, size = int(sys.argv[1]), int(sys.argv[2])
torch.manual_seed(0)

x = torch.randn(1024, 16)
y = x.sum(dim=1, keepdim=True)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for _ in range(steps):
    optimizer.zero_grad()
    for batch in torch.randint(0, len(x), (size, 16)):
        loss = nn.functional.mse_loss(model(x[batch]), y[batch]) / size
        loss.backward()
    optimizer.step()

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
