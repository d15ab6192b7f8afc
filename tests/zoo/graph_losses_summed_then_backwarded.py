"""Losses of several batches are summed, backwarded together, and the sum of one round is dropped."""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(24):
    total = torch.zeros(())
    for _ in range(3):
        x = torch.randn(8, 4)
        total = total + torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) / 3
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
