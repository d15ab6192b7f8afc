"""Smooth L1 against labels repeated over the classes."""

import hashlib

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(18)
net = nn.Sequential(nn.Linear(5, 20), nn.Tanh(), nn.Linear(20, 3))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(30):
    x = torch.randn(32, 5)
    labels = x[:, :3].argmax(dim=1)
    targets = labels.view(-1, 1).repeat(1, 3).float()
    loss = F.l1_loss(net(x), targets)  # BUG: class-index-regression
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
