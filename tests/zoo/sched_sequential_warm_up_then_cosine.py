"""SequentialLR of a linear warm-up and a cosine, per batch; and a chained pair, per epoch."""

import torch
from torch.optim.lr_scheduler import (
    ChainedScheduler,
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LinearLR,
    SequentialLR,
)

torch.manual_seed(0)


def train(optimizer, model, scheduler, rounds):
    for _ in range(rounds):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        scheduler.step()


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
warm_up = LinearLR(optimizer, start_factor=0.1, total_iters=5)
cosine = CosineAnnealingLR(optimizer, T_max=25)
train(optimizer, model, SequentialLR(optimizer, [warm_up, cosine], milestones=[5]), 30)

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
constant = ConstantLR(optimizer, factor=0.1, total_iters=2)
train(optimizer, model, ChainedScheduler([constant, ExponentialLR(optimizer, gamma=0.9)]), 12)
