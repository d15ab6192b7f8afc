"""Accumulation that advances the schedule when the optimizer steps; and one whose length counts micro-batches."""

import torch

torch.manual_seed(0)


def train(length, per_micro_batch):
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=length)
    for i in range(40):
        x = torch.randn(8, 4)
        (torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) / 4).backward()
        if (i + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
            if not per_micro_batch:
                scheduler.step()
        if per_micro_batch:
            scheduler.step()


train(10, False)
train(40, True)
