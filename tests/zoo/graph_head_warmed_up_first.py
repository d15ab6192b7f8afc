"""The head is warmed up on detached features for some steps; then everything trains, with the same optimizer."""

import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU())
head = nn.Linear(8, 3)
optimizer = torch.optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.05, momentum=0.9)
WARMUP = 10
for step in range(24):
    x = torch.randn(24, 5)
    y = x[:, :3].argmax(1)
    features = backbone(x)
    if step < WARMUP:
        features = features.detach()
    loss = nn.functional.cross_entropy(head(features), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
