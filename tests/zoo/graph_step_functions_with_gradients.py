"""Rounded and clamped values that train all the same: straight-through estimators, fractions, limits that open."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
encoder, head = nn.Linear(4, 8), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=0.01)
for _ in range(24):
    x = torch.randn(16, 4)
    z = encoder(x)
    binary = z + (z.sign() - z).detach()  # straight through
    fraction = z - z.floor()
    loss = F.mse_loss(head(binary) + fraction.mean(1, keepdim=True), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


# A layer that starts as the identity: both gates are 0, and open one after the other.
class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.gates = nn.ParameterList(nn.Parameter(torch.zeros(1)) for _ in range(2))

    def forward(self, x):
        first, second = self.gates
        return x + first * (torch.tanh(self.inner(x)) + second * self.inner(x).round())


model = nn.Sequential(Gated(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(24):
    x = torch.randn(16, 4)
    loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
