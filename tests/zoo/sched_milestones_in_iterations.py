"""Milestones given in iterations and advanced after every batch, over few epochs."""

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(80, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8, shuffle=True)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 4 * len(loader)
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [int(total * s) for s in (0.5, 0.75, 0.9)], gamma=0.1)
for epoch in range(4):
    for inputs, targets in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
        scheduler.step()
