"""Mixture of experts where some experts sit idle for whole steps."""

import torch
from torch import nn


class MoE(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.router = nn.Linear(d, n)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(d, 16), nn.ReLU(), nn.Linear(16, d)) for _ in range(n))

    def forward(self, x):
        weight, chosen = self.router(x).softmax(-1).max(-1)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            picked = chosen == i
            if picked.any():
                out[picked] = weight[picked, None] * expert(x[picked])
        return x + out


torch.manual_seed(0)
model = nn.Sequential(MoE(6, 8), nn.Linear(6, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for _ in range(25):
    x = torch.randn(6, 6)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
