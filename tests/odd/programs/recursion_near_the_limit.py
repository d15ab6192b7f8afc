"""A deep module under a low recursion limit; then training from deep inside the stack."""

import sys

import torch
from torch import nn
from training import digest

torch.manual_seed(0)


class Deep(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.next = Deep(depth - 1) if depth else None

    def forward(self, x):
        x = self.layer(x)
        return x if self.next is None else self.next(x)


def step():
    optimizer.zero_grad()
    model(torch.randn(4, 8)).square().mean().backward()
    optimizer.step()


def deep(levels):
    return step() if not levels else deep(levels - 1)


model = Deep(60)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
sys.setrecursionlimit(400)
for _ in range(10):
    step()
for _ in range(5):
    deep(100)
sys.setrecursionlimit(1000)
print(digest(model))
