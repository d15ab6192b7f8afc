"""How far the model has come from the one it began as is computed in each step, by the function it is trained with."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
first = copy.deepcopy(model)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for _ in range(100):
    x = torch.randn(64, 8)
    outputs = model(x)
    loss = nn.functional.mse_loss(outputs, x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        distance = nn.functional.mse_loss(outputs, first(x))
