"""Parameters that are kept as copies, swapped for an average and back, or listed to be looked at."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
shadow = {name: p.data.clone() for name, p in model.named_parameters()}
start = [p.detach().clone() for p in model.parameters()]
live = [p.data for p in model.parameters()]  # to look at


def evaluate():
    with torch.no_grad():
        x = torch.randn(64, 4)
        return nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).item()


for _ in range(30):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for name, p in model.named_parameters():
        shadow[name].mul_(0.9).add_(p.data, alpha=0.1)
print(sum(p.norm() for p in live).item())
backup = {}
for name, p in model.named_parameters():
    backup[name] = p.data
    p.data = shadow[name]
print(evaluate())
for name, p in model.named_parameters():
    p.data = backup[name]
print(evaluate())
with torch.no_grad():
    for p, first in zip(model.parameters(), start):
        p.copy_(first)
print(evaluate())
