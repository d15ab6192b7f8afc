"""A small network learns a function of ten numbers."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)

x = torch.randn(4096, 10)
y = torch.sin(x).sum(dim=1, keepdim=True)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

for step in range(steps):
    batch = torch.randint(0, len(x), (32,))
    loss = F.mse_loss(model(x[batch]), y[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 500 == 0:
        print(f"step {step}: loss {loss.item():.4f}")

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
