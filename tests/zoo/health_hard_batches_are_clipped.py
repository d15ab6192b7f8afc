"""Every fourth batch has outliers; gradients are clipped, and the updates stay what they are."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
for i in range(100):
    x = torch.randn(32, 8)
    y = x[:, :1] + (100.0 if i > 60 and i % 4 == 0 else 0.1) * torch.randn(32, 1)
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
