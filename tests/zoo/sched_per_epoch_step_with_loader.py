"""A step schedule in epochs, advanced once per epoch, with validation after each."""

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 4)
data = TensorDataset(x, x.sum(1, keepdim=True))
loader = DataLoader(TensorDataset(*data[:64]), batch_size=8, shuffle=True)
valid = DataLoader(TensorDataset(*data[64:]), batch_size=32)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.1)
for epoch in range(6):
    model.train()
    for inputs, targets in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
    scheduler.step()
    model.eval()
    with torch.no_grad():
        for inputs, targets in valid:
            torch.nn.functional.mse_loss(model(inputs), targets)
