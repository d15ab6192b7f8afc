"""Activation checkpointing, re-entrant and not: blocks run without gradient, or again in backward."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self, use_reentrant):
        super().__init__()
        self.use_reentrant = use_reentrant
        self.first = nn.Linear(4, 16)
        self.block = nn.Sequential(nn.Linear(16, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1))
        self.last = nn.Linear(16, 1)

    def forward(self, x):
        x = self.first(x)
        if self.training:
            return self.last(checkpoint(self.block, x, use_reentrant=self.use_reentrant))
        return self.last(self.block(x))


torch.manual_seed(0)
for use_reentrant in (True, False):
    model = Net(use_reentrant)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    for _ in range(3):
        model.train()
        for _ in range(5):
            x = torch.randn(16, 4)
            loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            model(torch.randn(16, 4))
