"""A wide layer with small batches, a margin that is met, and an expert that is rarely asked: none is dead for good."""

import torch
from torch import nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
experts = nn.ModuleList([nn.Sequential(nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 16)) for _ in range(3)])
scores = nn.Linear(16, 8)
with torch.no_grad():
    scores.bias[2:] = -5.0
params = [*body.parameters(), *experts.parameters(), *scores.parameters()]
optimizer = torch.optim.SGD(params, lr=0.02)
for i in range(60):
    x = torch.randn(4 if i % 2 else 40, 6)
    target = (x[:, 0] > 0).long()
    loss = nn.functional.multi_margin_loss(scores(experts[0 if i % 10 else 1](body(x))), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
