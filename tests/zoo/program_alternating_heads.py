"""Two tasks in turn: each step trains the trunk and one of the heads."""

import torch
from torch import nn

torch.manual_seed(0)
trunk = nn.Sequential(nn.Linear(6, 24), nn.ReLU())
heads = nn.ModuleDict({"sum": nn.Linear(24, 1), "sign": nn.Linear(24, 2)})
optimizer = torch.optim.Adam([*trunk.parameters(), *heads.parameters()], lr=2e-3)
for step in range(30):
    x = torch.randn(16, 6)
    h = trunk(x)
    if step % 2:
        loss = nn.functional.mse_loss(heads["sum"](h), x.sum(1, keepdim=True))
    else:
        loss = nn.functional.cross_entropy(heads["sign"](h), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
