"""Loaders that do not shuffle are for evaluation: whole passes, a first batch, or one batch now and then."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(192, 6)
y = x.sum(1, keepdim=True)
train_loader = DataLoader(TensorDataset(x[:128], y[:128]), batch_size=8, shuffle=True)
val_loader = DataLoader(TensorDataset(x[128:], y[128:]), batch_size=8)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def batches_without_end(loader):
    while True:
        yield from loader


@torch.no_grad()
def evaluate(xb, yb):
    model.eval()
    loss = nn.functional.mse_loss(model(xb), yb).item()
    model.train()
    return loss


now_and_then = batches_without_end(val_loader)
fixed = next(iter(val_loader))  # shown after every epoch
for epoch in range(4):
    for step, (xb, yb) in enumerate(train_loader):
        if step % 5 == 0:
            evaluate(*next(now_and_then))
        optimizer.zero_grad()
        nn.functional.mse_loss(model(xb), yb).backward()
        optimizer.step()
    for (xb, yb), held_out in zip(train_loader, val_loader):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(xb), yb).backward()
        optimizer.step()
        evaluate(*held_out)
    evaluate(*fixed)
    for batch in val_loader:
        evaluate(*batch)
    with torch.no_grad():
        for xb, yb in val_loader:
            model(xb)
    evaluate(*next(iter(val_loader)))
