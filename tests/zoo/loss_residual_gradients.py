"""Bellman residuals are minimised on purpose, through both values; the environment has a model."""

import torch
from torch import nn

torch.manual_seed(0)
values = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(values.parameters(), lr=1e-3)
for _ in range(20):
    state = torch.randn(16, 4)
    reward = state.sum(1, keepdim=True).tanh()
    residual = values(state) - (reward + 0.9 * values(0.5 * state))
    optimizer.zero_grad()
    residual.square().mean().backward()
    optimizer.step()
