"""ReZero residual blocks: the gate starts at zero, so the block gets no gradient at the first step."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d))
        self.gate = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return x + self.gate * self.f(x)


torch.manual_seed(0)
model = nn.Sequential(Block(8), Block(8), nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for _ in range(20):
    x = torch.randn(16, 8)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
