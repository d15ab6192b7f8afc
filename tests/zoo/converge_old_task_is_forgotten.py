"""One task after the other: the loss on the first one rises while the second is learned."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
held_out = torch.randn(256, 8)
for task in (0, 1):
    for _ in range(10):
        for _ in range(10):
            x = torch.randn(64, 8)
            loss = nn.functional.mse_loss(model(x), 2 * x[:, task : task + 1])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            nn.functional.mse_loss(model(held_out), 2 * held_out[:, :1])
