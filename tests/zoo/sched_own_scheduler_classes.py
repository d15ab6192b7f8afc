"""Schedulers written by the user: a subclass that overrides step, and a wrapper that warms up another one."""

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LRScheduler


class Noam(LRScheduler):
    def __init__(self, optimizer, warm_up):
        self.warm_up = warm_up
        super().__init__(optimizer)

    def get_lr(self):
        step = self.last_epoch + 1
        return [lr * min(step**-0.5, step * self.warm_up**-1.5) for lr in self.base_lrs]

    def step(self):
        super().step()


class WarmUp(LRScheduler):
    def __init__(self, optimizer, steps, after):
        self.steps, self.after = steps, after
        super().__init__(optimizer)

    def get_lr(self):
        return [lr * (self.last_epoch + 1) / self.steps for lr in self.base_lrs]

    def step(self):
        if self.last_epoch + 1 >= self.steps:
            self.last_epoch += 1
            self.after.step()
        else:
            super().step()


def train(make):
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scheduler = make(optimizer)
    for _ in range(24):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        scheduler.step()


train(lambda optimizer: Noam(optimizer, 5))
train(lambda optimizer: WarmUp(optimizer, 4, CosineAnnealingLR(optimizer, T_max=20)))
