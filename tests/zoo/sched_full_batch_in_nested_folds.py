"""Cross-validation in one scope: the loop around the training loop counts folds, not epochs."""

import torch

torch.manual_seed(0)
x = torch.randn(40, 4)
for fold in range(3):
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    for step in range(14):
        part = x[torch.randperm(40)[:30]]
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(part), part.sum(1, keepdim=True)).backward()
        optimizer.step()
        scheduler.step()
