"""Differential privacy by hand: each sample's gradient clipped, then summed and noised."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(8):
    x = torch.randn(6, 5)
    y = (x[:, 0] > 0).long()
    total = [torch.zeros_like(p) for p in model.parameters()]
    for i in range(6):
        model.zero_grad()
        nn.functional.cross_entropy(model(x[i : i + 1]), y[i : i + 1]).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for t, p in zip(total, model.parameters()):
            t += p.grad
    for t, p in zip(total, model.parameters()):
        p.grad = (t + 0.1 * torch.randn_like(t)) / 6
    optimizer.step()
