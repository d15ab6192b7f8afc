"""Every run of a comparison starts from the same seed, an epoch from one of its own, and a resumed run goes on."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

x = torch.linspace(-1, 1, 64)[:, None].repeat(1, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8, shuffle=True)


def epoch_of(model, optimizer, batches):
    for xb, yb in batches:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(xb), yb).backward()
        optimizer.step()


for lr in (0.1, 0.05, 0.02, 0.01):
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    epoch_of(model, optimizer, loader)

for lr in (0.1, 0.05, 0.02):
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for _ in range(3):
        epoch_of(model, optimizer, loader)

for epoch in range(4):
    torch.manual_seed(1000 + epoch)
    epoch_of(model, optimizer, loader)

for epoch in range(4):
    generator = torch.Generator().manual_seed(epoch)
    fresh = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8, shuffle=True, generator=generator)
    epoch_of(model, optimizer, fresh)
