"""The rate is set by hand each step, with a warm-up that starts at exactly zero."""

import math

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(30):
    rate = 0.1 * step / 5 if step < 5 else 0.05 * (1 + math.cos(math.pi * (step - 5) / 25))
    for group in optimizer.param_groups:
        group["lr"] = rate
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
