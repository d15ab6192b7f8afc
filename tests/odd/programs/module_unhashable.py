"""A module that defines __eq__ only, and so has no hash."""

import torch
from torch import nn
from torch.nn import functional
from training import digest, make_batch

torch.manual_seed(0)


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(8))

    def forward(self, x):
        return x * self.w

    def __eq__(self, other):
        return isinstance(other, Scale) and torch.equal(self.w, other.w)


scale, head = Scale(), nn.Linear(8, 3)
optimizer = torch.optim.SGD([scale.w, *head.parameters()], lr=0.1)
for _ in range(30):
    x, y = make_batch()
    optimizer.zero_grad()
    functional.cross_entropy(head(scale(x)), y).backward()
    optimizer.step()
print(digest(scale, head))
