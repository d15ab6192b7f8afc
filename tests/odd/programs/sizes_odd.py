"""Parameters without elements, without dimensions, with stride 0 views and huge shapes of size 1."""

import torch
from torch import nn
from training import digest

torch.manual_seed(0)
empty, scalar = nn.Parameter(torch.empty(0, 4)), nn.Parameter(torch.tensor(2.0))
thin = nn.Parameter(torch.ones([1] * 12))
base = nn.Parameter(torch.randn(6, 4).t())
optimizer = torch.optim.Adam([empty, scalar, thin, base], lr=0.05)
for _ in range(20):
    optimizer.zero_grad()
    loss = (
        empty.sum()
        + (scalar - 1).square()
        + (thin * scalar).sum().square()
        + (base.expand(2, 4, 6) - 3).square().mean()
    )
    loss.backward()
    optimizer.step()
print(digest(scalar, thin, base), empty.grad.shape)
