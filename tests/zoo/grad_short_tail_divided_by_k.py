"""The short last window of an epoch is divided by the same k: every sample of the epoch counts the same."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(80, 4)
loader = DataLoader(TensorDataset(x, x.sin()), batch_size=8, shuffle=True)  # 10 batches, windows of 4, 4 and 2
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    for i, (xb, yb) in enumerate(loader):
        (nn.functional.mse_loss(model(xb), yb) / 4).backward()
        if (i + 1) % 4 == 0 or i + 1 == len(loader):
            optimizer.step()
            optimizer.zero_grad()
