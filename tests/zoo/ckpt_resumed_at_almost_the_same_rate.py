"""Resumed without the schedule's state where that makes no difference: gentle, or computed from the present rate."""

import io

import torch
from torch import nn
from torch.optim.lr_scheduler import ExponentialLR, LambdaLR, StepLR


def train(model, optimizer, scheduler):
    for _ in range(10):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        scheduler.step()


def train_twice(schedule):
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    train(model, optimizer, schedule(optimizer))
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
    file.seek(0)
    checkpoint = torch.load(file, weights_only=True)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    train(model, optimizer, schedule(optimizer))


train_twice(lambda optimizer: LambdaLR(optimizer, lambda step: 0.99**step))
train_twice(lambda optimizer: ExponentialLR(optimizer, 0.9))
train_twice(lambda optimizer: StepLR(optimizer, 4, 0.5))
