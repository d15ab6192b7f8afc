"""A graph of five thousand nodes."""

import torch
from training import digest

torch.manual_seed(0)
weight = torch.ones(4, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.01)
for _ in range(3):
    y = weight
    for _ in range(5000):
        y = y * 0.9999
    optimizer.zero_grad()
    (y - 2).square().sum().backward()
    optimizer.step()
print(digest(weight))
