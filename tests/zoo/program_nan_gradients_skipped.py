"""Looks at the gradient norm and skips the step when it is not finite."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for step in range(30):
    x = torch.randn(16, 4)
    target = x.sum(1, keepdim=True)
    residual = model(x) - target
    if step % 10 == 5:
        residual = residual * torch.tensor(float("inf"))
    loss = residual.pow(2).mean()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if torch.isfinite(norm):
        optimizer.step()
    optimizer.zero_grad()
