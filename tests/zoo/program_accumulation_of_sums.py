"""Sum-reduced losses accumulated, the gradients divided once before the step."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(10):
    items = 0
    optimizer.zero_grad()
    for size in (8, 5, 3):
        x = torch.randn(size, 4)
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True), reduction="sum").backward()
        items += size
    for p in model.parameters():
        p.grad /= items
    optimizer.step()
