"""Exponential decay meant for iterations, over plain tensors in nested loops."""

import torch

torch.manual_seed(0)
x = torch.randn(64, 4)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.97)
for epoch in range(6):
    order = torch.randperm(64)
    for start in range(0, 64, 8):
        batch = x[order[start : start + 8]]
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(batch), batch.sum(1, keepdim=True)).backward()
        optimizer.step()
        scheduler.step()
