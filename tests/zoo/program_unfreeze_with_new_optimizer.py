"""Trains a head, then unfreezes all of it with a new optimizer at a lower rate."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))


def train(optimizer, steps):
    for _ in range(steps):
        x = torch.randn(16, 6)
        loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


model[0].requires_grad_(False)
train(torch.optim.Adam(model[2].parameters(), lr=1e-2), 15)
model[0].requires_grad_(True)
train(torch.optim.Adam(model.parameters(), lr=1e-3), 15)
