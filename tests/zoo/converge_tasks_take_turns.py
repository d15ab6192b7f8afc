"""Two tasks take turns, an easy one and a hard one that pulls the other way: the loss goes up and down each step."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(160):
    x = torch.randn(64, 8)
    y = x[:, :1] if i % 2 else 3 * torch.randn(64, 1) - x[:, :1]
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
