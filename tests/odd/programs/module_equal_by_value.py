"""A module that compares by value, elementwise as torch does. torch never compares modules."""

import torch
from torch import nn
from training import digest, train

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 3)

    def forward(self, x):
        return self.inner(x)

    def __eq__(self, other):
        return self.inner.weight == other.inner.weight

    __hash__ = nn.Module.__hash__


model = Net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 40)
print(digest(model))
