"""Schedules of optimizers that stop before others, or hand over to one that has a schedule or needs none."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)


def step(optimizer):
    x = torch.randn(16, 4)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()


first = torch.optim.Adam(model.parameters(), lr=0.01)
first_schedule = torch.optim.lr_scheduler.StepLR(first, 3, 0.5)
for _ in range(8):
    for _ in range(4):
        step(first)
    first_schedule.step()
second = torch.optim.SGD(model.parameters(), lr=0.01)  # at a constant rate
for _ in range(8):
    for _ in range(4):
        step(second)

third = torch.optim.SGD(model.parameters(), lr=0.01)
third_schedule = torch.optim.lr_scheduler.CosineAnnealingLR(third, 8)
for epoch in range(8):
    for _ in range(4):
        step(third)
    third_schedule.step()
    if epoch == 3:
        plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(third, patience=40)
    if epoch > 3:
        plateau.step(1.0)
