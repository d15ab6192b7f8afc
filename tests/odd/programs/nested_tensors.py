"""Nested tensors of both layouts go through a layer and a loss."""

import warnings

import torch
from torch import nn
from training import digest

warnings.simplefilter("ignore")
torch.manual_seed(0)
model = nn.Linear(8, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for i in range(20):
    parts = [torch.randn(2, 8), torch.randn(3, 8)]
    batch = torch.nested.nested_tensor(parts, layout=torch.jagged if i % 2 else torch.strided)
    optimizer.zero_grad()
    out = model(batch)
    sum((o - p).square().mean() for o, p in zip(out.unbind(), parts)).backward()
    optimizer.step()
print(digest(model))
