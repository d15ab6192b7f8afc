"""A module with its own __call__, __setattr__, __getattribute__, __slots__ and metaclass."""

import torch
from torch import nn
from training import digest, train

asked = []


class Meta(type):
    def __call__(cls, *args, **kwargs):
        asked.append("made")
        return super().__call__(*args, **kwargs)

    def __eq__(cls, other):
        asked.append("type eq")
        return cls is other

    def __hash__(cls):
        return id(cls)


class Net(nn.Module, metaclass=Meta):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 3)

    def __call__(self, x):
        asked.append("call")
        return super().__call__(x)

    def __setattr__(self, name, value):
        asked.append(name)
        super().__setattr__(name, value)

    def __getattribute__(self, name):
        if name == "forward":
            asked.append("forward")
        return super().__getattribute__(name)

    def forward(self, x):
        return self.inner(x)


torch.manual_seed(0)
model = Net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 20)
print(len(asked), digest(asked), digest(model))
