"""Properties that raise or count when read, and a __class__ that lies."""

import torch
from torch import nn
from training import digest, train

torch.manual_seed(0)
reads = []


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 3)

    @property
    def device(self):
        reads.append("device")
        raise RuntimeError("spread over several devices")

    @property
    def config(self):
        reads.append("config")
        return {}

    @property
    def __class__(self):
        reads.append("class")
        return nn.Linear

    def forward(self, x):
        return self.inner(x)


model = Net()
before = len(reads)
optimizer = torch.optim.SGD(model.inner.parameters(), lr=0.1)
train(model, optimizer, 40)
print(len(reads) - before, digest(model.inner))
