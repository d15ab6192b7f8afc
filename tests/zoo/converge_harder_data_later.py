"""A curriculum: the loss goes up when harder data comes, and down again."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
for i in range(160):
    x = torch.randn(64, 8)
    y = x[:, :1] if i < 80 else x[:, :1] + 2 * x[:, 1:2] * x[:, 2:3]
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
