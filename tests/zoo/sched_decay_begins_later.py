"""Schedules that a short run does not come to: decay begins late, or at every hundredth step."""

import torch
from torch.optim import lr_scheduler

torch.manual_seed(0)


def train(schedule, condition) -> None:
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scheduler = schedule(optimizer)
    for step in range(24):
        x = torch.randn(16, 4)
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if condition(step):
            scheduler.step()


train(lambda optimizer: lr_scheduler.CosineAnnealingLR(optimizer, T_max=24), lambda step: step >= 100)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
steps = lr_scheduler.StepLR(optimizer, step_size=10)
for step in range(24):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if (step + 1) % 100 == 0:
        steps.step()
