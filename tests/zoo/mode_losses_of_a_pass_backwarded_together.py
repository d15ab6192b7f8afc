"""A penalty over a second loader: its losses are collected in train mode and backwarded once, after the pass."""

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(6, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(16, 1)
)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x = torch.randn(96, 6)
labelled = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=16, shuffle=True)
unlabelled = DataLoader(TensorDataset(torch.randn(64, 6)), batch_size=16, shuffle=True)
for _ in range(4):
    model.train()
    for inputs, targets in labelled:
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    penalty = torch.zeros(())
    for (inputs,) in unlabelled:
        penalty = penalty + 0.01 * model(inputs).var()
    optimizer.zero_grad()
    penalty.backward()
    optimizer.step()
    del penalty
