"""Micro-batches weighted by their tokens, which differ; every tenth window is shorter, and its last rows fewer."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Embedding(20, 16), torch.nn.Linear(16, 20))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def batch(rows):
    x = torch.randint(1, 20, (rows, 12))
    y = (3 * x + 1) % 20
    y[torch.arange(12) >= torch.randint(3, 12, (rows, 1))] = -100
    return x, y


for step in range(80):
    window = [batch(8) for _ in range(4)] if step % 10 else [batch(8), batch(8), batch(5)]
    tokens = sum((y != -100).sum().item() for _, y in window)
    optimizer.zero_grad()
    for x, y in window:
        share = (y != -100).sum().item() / tokens
        (F.cross_entropy(model(x).transpose(1, 2), y) * share).backward()
    optimizer.step()
