"""Gradient accumulation over four micro-batches; the last window of an epoch is shorter."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)
micro_batch, accumulate = 16, 4

x = torch.randn(600, 24)  # 38 micro-batches: nine full windows and one of two
y = x.pow(2).sum(dim=1, keepdim=True) / 24
model = nn.Sequential(nn.Linear(24, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def windows():
    while True:
        order = torch.randperm(len(x)).split(micro_batch)
        for start in range(0, len(order), accumulate):
            yield order[start : start + accumulate]


for step, window in zip(range(steps), windows()):
    samples = sum(len(part) for part in window)
    total = 0.0
    optimizer.zero_grad()
    for part in window:
        loss = F.mse_loss(model(x[part]), y[part]) * (len(part) / samples)
        loss.backward()
        total += loss.item()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step}: loss {total:.4f}")

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
