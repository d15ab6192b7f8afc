"""A schedule as long as the run, which a setting keeps from being used, and one that waits for a result."""

import torch
from torch.optim import lr_scheduler

torch.manual_seed(0)
use_schedule = False
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=24)
for step in range(24):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if use_schedule and step % 2 == 0:
        scheduler.step()
    if loss.item() == 0.0:
        scheduler.step()
