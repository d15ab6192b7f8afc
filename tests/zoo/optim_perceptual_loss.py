"""A loss through the features of a network in eval mode that nobody trains."""

import torch
from torch import nn

torch.manual_seed(0)
features = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8)).eval()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(16, 8)
    loss = nn.functional.mse_loss(features(model(x + 0.1 * torch.randn_like(x))), features(x).detach())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
