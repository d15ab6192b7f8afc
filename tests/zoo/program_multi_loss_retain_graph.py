"""Two heads over one trunk, one backward each, the first with retain_graph."""

import torch
from torch import nn

torch.manual_seed(0)
trunk = nn.Sequential(nn.Linear(6, 24), nn.ReLU())
a, b = nn.Linear(24, 3), nn.Linear(24, 1)
optimizer = torch.optim.Adam([*trunk.parameters(), *a.parameters(), *b.parameters()], lr=2e-3)
for _ in range(20):
    x = torch.randn(16, 6)
    h = trunk(x)
    optimizer.zero_grad()
    nn.functional.cross_entropy(a(h), x[:, :3].argmax(1)).backward(retain_graph=True)
    nn.functional.mse_loss(b(h), x.sum(1, keepdim=True)).backward()
    optimizer.step()
