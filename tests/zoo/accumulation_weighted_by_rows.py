"""Micro-batches weighted by their rows; the last window of an epoch is shorter, long after the first windows."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(2024, 8)  # 127 micro-batches: 42 full windows, and one of a single, short one
y = x.sum(dim=1, keepdim=True)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    order = torch.randperm(len(x)).split(16)
    windows = [order[i : i + 3] for i in range(0, 123, 3)] + [order[123:]]
    for window in windows:
        rows = sum(len(part) for part in window)
        optimizer.zero_grad()
        for part in window:
            loss = F.mse_loss(model(x[part]), y[part]) * (len(part) / rows)
            loss.backward()
        optimizer.step()
