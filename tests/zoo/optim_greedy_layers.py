"""Layers are trained one after the other, each with a head and an optimizer of its own."""

import torch
from torch import nn

torch.manual_seed(0)
layers = [nn.Linear(8, 16), nn.Linear(16, 16), nn.Linear(16, 16)]
for depth in range(1, 4):
    head = nn.Linear(16, 3)
    optimizer = torch.optim.Adam([*layers[depth - 1].parameters(), *head.parameters()], lr=1e-2)
    for _ in range(6):
        h = x = torch.randn(16, 8)
        for layer in layers[:depth]:
            h = layer(h).relu()
        optimizer.zero_grad()
        nn.functional.cross_entropy(head(h), x[:, :3].argmax(1)).backward()
        optimizer.step()
