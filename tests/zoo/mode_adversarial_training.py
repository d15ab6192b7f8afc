"""Adversarial examples are made in eval mode, by backward and by `autograd.grad`; the step trains in train mode."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(20):
    x = torch.randn(16, 8)
    y = (x.sum(1) > 0).long()
    model.eval()
    worse = x.clone().requires_grad_()
    for _ in range(3):
        loss = nn.functional.cross_entropy(model(worse), y)
        if step % 2:
            loss.backward()
            gradient = worse.grad
        else:
            (gradient,) = torch.autograd.grad(loss, worse)
        worse = (worse + 0.05 * gradient.sign()).detach().requires_grad_()
    model.train()
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(worse.detach()), y).backward()
    optimizer.step()
