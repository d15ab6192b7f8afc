"""Two optimizers over disjoint sets: matrices by one rule, vectors by another."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 3))
matrices = [p for p in model.parameters() if p.ndim >= 2]
vectors = [p for p in model.parameters() if p.ndim < 2]
optimizers = [torch.optim.SGD(matrices, lr=0.02, momentum=0.95), torch.optim.AdamW(vectors, lr=3e-3)]
for _ in range(12):
    x = torch.randn(16, 8)
    nn.functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()
    for optimizer in optimizers:
        optimizer.step()
        optimizer.zero_grad()
