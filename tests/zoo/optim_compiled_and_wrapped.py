"""A compiled and wrapped model trains through its inner module's parameters."""

import torch
from torch import nn

torch.manual_seed(0)
inner = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(inner.parameters(), lr=1e-2)
model = nn.DataParallel(torch.compile(inner, backend="eager"))
for _ in range(6):
    x = torch.randn(16, 8)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()
    optimizer.step()
