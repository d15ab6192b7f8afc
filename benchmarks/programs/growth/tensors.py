"""A chain of small layers with so many parameter tensors in all."""

import sys

import torch
from torch import nn

steps, size = int(sys.argv[1]), int(sys.argv[2])
torch.manual_seed(0)


class Residual(nn.Linear):
    def forward(self, x):
        return x + 0.01 * super().forward(x)


x, y = torch.randn(4, 4), torch.randn(4, 4)
model = nn.Sequential(*[Residual(4, 4) for _ in range(size // 2)])
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

for _ in range(steps):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
