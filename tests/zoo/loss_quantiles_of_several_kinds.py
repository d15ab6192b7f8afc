"""Quantile regression: each of three quantiles of each sample is compared with that sample's target, no other."""

import torch
from torch import nn

torch.manual_seed(0)
quantiles = torch.tensor([0.1, 0.5, 0.9])
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
single = nn.Linear(4, 1)
optimizer = torch.optim.Adam([*model.parameters(), *single.parameters()], lr=1e-2)
for _ in range(40):
    x = torch.randn(32, 4)
    y = x.sum(1) + torch.randn(32)
    error = y[:, None] - model(x)
    pinball = torch.maximum(quantiles * error, (quantiles - 1) * error).mean()
    alone = y - single(x).squeeze(1)
    size = alone.abs()
    huber = torch.where(size < 1, 0.5 * size * size, size - 0.5).mean()
    optimizer.zero_grad()
    (pinball + huber + torch.maximum(0.9 * alone, -0.1 * alone).mean()).backward()
    optimizer.step()
