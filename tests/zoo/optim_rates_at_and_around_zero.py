"""Rates that come near zero and never fall below by mistake: decays that end, maximize, a sign that is turned."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


def train(model, optimizer, after, steps=48):
    for step in range(steps):
        x = torch.randn(16, 4)
        loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        after(step)


model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / 44))
train(model, optimizer, lambda step: schedule.step())

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
schedule = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=40)
train(model, optimizer, lambda step: schedule.step(), steps=44)

# A reward that is climbed, and a game in which one optimizer goes down and up in turn.
policy = nn.Linear(4, 1)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.01, maximize=True)
for _ in range(12):
    optimizer.zero_grad()
    (-(policy(torch.randn(16, 4)) - 1).square()).mean().backward()
    optimizer.step()

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def turn(step):
    for group in optimizer.param_groups:
        group["lr"] = -0.01 if step % 4 == 3 else 0.01


train(model, optimizer, turn)
