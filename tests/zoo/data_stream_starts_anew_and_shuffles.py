"""A stream keeps its iterator, and starts the loader anew for every batch: each is drawn from all samples."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Stream:
    def __init__(self, loader: DataLoader[tuple[torch.Tensor, ...]]) -> None:
        self.loader = loader

    def next(self) -> tuple[torch.Tensor, ...]:
        self.iterator = iter(self.loader)
        return next(self.iterator)


torch.manual_seed(0)
x = torch.randn(256, 6)
stream = Stream(DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=32, shuffle=True))
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(40):
    inputs, targets = stream.next()
    loss = nn.functional.mse_loss(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
