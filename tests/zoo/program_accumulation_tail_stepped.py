"""The short last window of an epoch is stepped, with its own length."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(80, 4)
loader = DataLoader(TensorDataset(x, x.sin()), batch_size=8, shuffle=True)  # 10 batches, windows of 4, 4 and 2
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    batches = list(loader)
    for start in range(0, len(batches), 4):
        window = batches[start : start + 4]
        optimizer.zero_grad()
        for xb, yb in window:
            (nn.functional.mse_loss(model(xb), yb) / len(window)).backward()
        optimizer.step()
