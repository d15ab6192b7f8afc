"""Schedules that go on where they were, or begin anew for a reason, after the optimizer was loaded."""

import io
import warnings

import torch
from torch import nn
from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    ExponentialLR,
    LambdaLR,
    MultiStepLR,
    ReduceLROnPlateau,
    StepLR,
)

warnings.simplefilter("ignore")  # torch's about the order, which is meant where a schedule is run forward


def build(rate=1e-2):
    model = nn.Linear(4, 1)
    return model, torch.optim.Adam(model.parameters(), lr=rate)


def train(model, optimizer, scheduler, steps=8):
    for _ in range(steps):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        loss.backward()
        optimizer.step()
        scheduler.step(*([loss.item()] if isinstance(scheduler, ReduceLROnPlateau) else []))


def interrupted(make, steps=8):
    """Weights, optimizer and schedule as they come back from a file."""
    model, optimizer = build()
    scheduler = make(optimizer)
    train(model, optimizer, scheduler, steps)
    file = io.BytesIO()
    torch.save([part.state_dict() for part in (model, optimizer, scheduler)], file)
    file.seek(0)
    return torch.load(file, weights_only=False)


def resumed(states, rate=1e-2):
    model, optimizer = build(rate)
    model.load_state_dict(states[0])
    optimizer.load_state_dict(states[1])
    return model, optimizer


torch.manual_seed(0)


def milestones(optimizer, last_epoch=-1):
    return MultiStepLR(optimizer, milestones=[5, 12], last_epoch=last_epoch)


states = interrupted(milestones)
train(*(parts := resumed(states)), milestones(parts[1], last_epoch=states[2]["last_epoch"]))  # at its place

model, optimizer = resumed(states)  # run forward
scheduler = milestones(optimizer)
for _ in range(8):
    scheduler.step()
for group, loaded in zip(optimizer.param_groups, states[1]["param_groups"], strict=True):
    group["lr"] = loaded["lr"]
train(model, optimizer, scheduler)

model, optimizer = resumed(states)  # told its place
scheduler = milestones(optimizer)
scheduler.last_epoch = 8
train(model, optimizer, scheduler)

model, optimizer = build()  # weights only
model.load_state_dict(states[0])
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
train(model, optimizer, milestones(optimizer))

for make in (  # where they stand does not matter
    lambda optimizer: ExponentialLR(optimizer, 0.98),
    lambda optimizer: StepLR(optimizer, step_size=4),
    lambda optimizer: CosineAnnealingWarmRestarts(optimizer, T_0=8),
    lambda optimizer: ReduceLROnPlateau(optimizer, patience=3),
):
    model, optimizer = resumed(interrupted(make))
    train(model, optimizer, make(optimizer))

states = interrupted(lambda optimizer: CosineAnnealingLR(optimizer, T_max=16))
model, optimizer = resumed(states)  # a second phase with a rate of its own
for group in optimizer.param_groups:
    group["lr"] = group["initial_lr"] = 5e-3
train(model, optimizer, LambdaLR(optimizer, lambda step: 1 / (1 + step)))
