"""Rates that are 0 for a while on purpose: the end of a decay, a rest between phases, restarts."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


def train(rate, steps, epoch=8):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    for step in range(steps):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        F.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        if step % epoch == epoch - 1:
            schedule.step()


train(lambda epoch: max(0.0, 1 - epoch / 12), steps=128)  # the last quarter of a run
train(lambda epoch: float(epoch % 3 != 2), steps=128)  # one epoch of rest after every two
train(lambda epoch: 1 - epoch % 8 / 7, steps=128)  # each restart ends with an epoch at 0
train(lambda epoch: min(1.0, epoch), steps=64, epoch=1)  # the first step alone
