"""A schedule for 100 epochs, and patience that ends the run long before."""

import torch

torch.manual_seed(0)
x = torch.randn(64, 4)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=100)
best, bad = float("inf"), 0
for epoch in range(100):
    for batch in torch.randperm(64).split(16):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x[batch]), x[batch].sum(1, keepdim=True))
        loss.backward()
        optimizer.step()
    scheduler.step()
    if loss.item() < best - 1e-3:
        best, bad = loss.item(), 0
    else:
        bad += 1
    if bad == 3:
        break
