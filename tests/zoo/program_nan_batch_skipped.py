"""Drops a batch whose loss is not finite: cleared on purpose, no step."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(30):
    x = torch.randn(16, 4)
    if step % 9 == 4:
        x[0, 0] = float("nan")
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    if not torch.isfinite(loss):
        continue
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
