"""Validation before the first epoch feeds ReduceLROnPlateau, then again after each."""

import torch

torch.manual_seed(0)
x = torch.randn(64, 4)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2)
for epoch in range(5):
    with torch.no_grad():
        scheduler.step(torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)))
    for batch in torch.randperm(64).split(16):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x[batch]), x[batch].sum(1, keepdim=True)).backward()
        optimizer.step()
