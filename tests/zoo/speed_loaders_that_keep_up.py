"""Loaders that take a moment: a slow step, a slow evaluation, and small batches in a long loop."""

import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Slow(Dataset):
    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        time.sleep(0.0002)
        return torch.full((4,), float(i % 5)), torch.ones(1)


torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
quick = TensorDataset(torch.randn(420, 4), torch.randn(420, 1))
for loader, work in ((DataLoader(quick, batch_size=2, shuffle=True), 0.0), (DataLoader(Slow(8), shuffle=True), 0.01)):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        time.sleep(work)
model.eval()
with torch.no_grad():
    for x, _ in DataLoader(Slow(64), batch_size=32):
        model(x)
