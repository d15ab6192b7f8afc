"""The loss on some training samples is watched during training; the test, on other data, comes last."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(160, 8)
y = x.sum(1, keepdim=True)
loader = DataLoader(TensorDataset(x[:128], y[:128]), batch_size=16, shuffle=True)
few = DataLoader(TensorDataset(x[:32], y[:32]), batch_size=16)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for xb, yb in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(xb), yb).backward()
        optimizer.step()
    with torch.no_grad():
        print(epoch, sum(nn.functional.mse_loss(model(xb), yb).item() for xb, yb in few))
with torch.no_grad():
    print("test", nn.functional.mse_loss(model(x[128:]), y[128:]).item())
