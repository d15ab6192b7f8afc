"""All data is one batch, or two, in a loader that does not shuffle; and a batch that is all data without a loader."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 6)
y = x.sum(1, keepdim=True)


def train(model, optimizer, batches):
    for xb, yb in batches:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(xb), yb).backward()
        optimizer.step()


for size in (64, 32):
    model = nn.Linear(6, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loader = DataLoader(TensorDataset(x, y), batch_size=size)
    for _ in range(12):
        train(model, optimizer, loader)

model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
sample, _ = next(iter(loader))  # for its shape
for _ in range(40):
    train(model, optimizer, [(x, y)])
