"""A momentum encoder in train mode without gradient, as in MoCo and BYOL: its batch-norm moves by design."""

import copy

import torch
from torch import nn


class Momentum(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 4))
        self.key = copy.deepcopy(self.query)
        self.key.requires_grad_(False)

    @torch.no_grad()
    def follow(self):
        for slow, fast in zip(self.key.parameters(), self.query.parameters(), strict=True):
            slow.data.mul_(0.99).add_(fast.data, alpha=0.01)

    def forward(self, a, b):
        q = nn.functional.normalize(self.query(a), dim=1)
        with torch.no_grad():
            self.follow()
            k = nn.functional.normalize(self.key(b), dim=1)
        return q @ k.T / 0.2


torch.manual_seed(0)
model = Momentum()
optimizer = torch.optim.SGD(model.query.parameters(), lr=0.05)
for _ in range(20):
    x = torch.randn(16, 8)
    loss = nn.functional.cross_entropy(model(x + 0.1 * torch.randn_like(x), x), torch.arange(16))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
