"""Linear probe: a frozen backbone in eval mode, features under no_grad, only a head trains."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(8, 64), nn.BatchNorm1d(64), nn.ReLU()).eval().requires_grad_(False)
head = nn.Linear(64, 2)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
x = torch.randn(96, 8)
loader = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=16, shuffle=True)
for _ in range(3):
    for xb, yb in loader:
        with torch.no_grad():
            h = backbone(xb)
        loss = nn.functional.cross_entropy(head(h), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
