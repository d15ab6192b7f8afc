"""Modules and optimizers with __del__, created in forward, in cycles."""

import gc

import torch
from torch import nn
from training import digest, train

torch.manual_seed(0)
died = []


class Loud(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        return x * self.size

    def __del__(self):
        died.append(self.size)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 3)

    def forward(self, x):
        return Loud(2)(self.inner(x))


gc.disable()
model = Net()
train(model, torch.optim.SGD(model.inner.parameters(), lr=0.1), 20)
print(len(died))
lost = Loud(4)
lost.me = [lost]
del lost
gc.collect()
print(died[-1], digest(model))
