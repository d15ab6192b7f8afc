"""So many optimizers, a small layer each, that step in turn in every iteration."""

import sys

import torch
from torch import nn

steps, size = int(sys.argv[1]), int(sys.argv[2])
torch.manual_seed(0)

x, y = torch.randn(4, 4), torch.randn(4, 4)
layers = [nn.Linear(4, 4) for _ in range(size)]
optimizers = [torch.optim.SGD(layer.parameters(), lr=0.01) for layer in layers]

for _ in range(steps):
    for layer, optimizer in zip(layers, optimizers, strict=True):
        optimizer.zero_grad()
        nn.functional.mse_loss(layer(x), y).backward()
        optimizer.step()

print("weights", sum(p.detach().double().abs().sum() for layer in layers for p in layer.parameters()).item())
