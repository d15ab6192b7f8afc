"""Lambdas and sequences that count batches: down to a floor early, gently, or to almost nothing at the end."""

import torch
from torch import nn
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(80, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8, shuffle=True)


def train(schedule) -> None:
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scheduler = schedule(optimizer)
    for _ in range(8):
        for inputs, targets in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(inputs), targets).backward()
            optimizer.step()
            scheduler.step()


def warmed_up(optimizer):
    warmup = lr_scheduler.LinearLR(optimizer, 0.1, total_iters=10)
    return lr_scheduler.SequentialLR(
        optimizer, [warmup, lr_scheduler.CosineAnnealingLR(optimizer, 70, eta_min=1e-9)], milestones=[10]
    )


train(lambda optimizer: lr_scheduler.LambdaLR(optimizer, lambda step: max(1e-4, 1 - step / 30)))
train(lambda optimizer: lr_scheduler.LambdaLR(optimizer, lambda step: 0.95**step))
train(lambda optimizer: lr_scheduler.MultiplicativeLR(optimizer, lambda step: 0.9))
train(warmed_up)
