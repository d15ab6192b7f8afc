"""Gradients of the first layers are tiny, but Adam moves them as much as the others."""

import torch
from torch import nn

torch.manual_seed(0)
layers = [part for _ in range(8) for part in (nn.Linear(16, 16), nn.Sigmoid())]
model = nn.Sequential(*layers, nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.003, eps=1e-16)
for _ in range(60):
    x = torch.randn(32, 16)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
