"""Losses that are not finite and never reach a step."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for i in range(12):
    x = torch.randn(16, 8)
    y = x.sum(1, keepdim=True)
    if i in (4, 7):
        y[0] = float("nan")
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    if i == 4 and not torch.isfinite(loss):
        continue
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1e9)
    if not torch.isfinite(norm):
        optimizer.zero_grad()
        continue
    optimizer.step()
