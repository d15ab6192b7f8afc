"""A module that is a dataclass with eq, compared field by field and without a hash."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional
from training import digest, make_batch


@dataclass
class Net(nn.Module):
    features: int = 8
    classes: int = 3

    def __post_init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(self.classes, self.features) / 3)

    def __new__(cls, *args, **kwargs):
        made = super().__new__(cls)
        nn.Module.__init__(made)
        return made

    def forward(self, x):
        return functional.linear(x, self.weight)


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD([model.weight], lr=0.1)
for _ in range(30):
    x, y = make_batch()
    optimizer.zero_grad()
    functional.cross_entropy(model(x), y).backward()
    optimizer.step()
print(model == model, digest(model.weight))
