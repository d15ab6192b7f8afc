"""Some batches are far harder than others, and the model has learned what there is to learn: the loss jumps about."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(200):
    x = torch.randn(16, 8)
    noise = torch.distributions.LogNormal(0.0, 1.0).sample()
    loss = nn.functional.mse_loss(model(x), 0.1 * x[:, :1] + noise * torch.randn(16, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
