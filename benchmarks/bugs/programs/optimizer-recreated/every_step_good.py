"""Decays the learning rate by building a new optimizer."""

import hashlib

import torch
from torch import nn

torch.manual_seed(18)
net = nn.Sequential(nn.Linear(3, 24), nn.Tanh(), nn.Linear(24, 1))
lr = 0.05
optimizer = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
for step in range(30):
    lr *= 0.99
    for group in optimizer.param_groups:
        group["lr"] = lr
    x = torch.randn(32, 3)
    loss = nn.functional.mse_loss(net(x), x.sum(dim=1, keepdim=True).cos())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
