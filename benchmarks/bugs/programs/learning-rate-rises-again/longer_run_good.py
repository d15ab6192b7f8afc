"""Trains longer than the schedule was made for."""

import hashlib

import torch
import torch.nn as nn

torch.manual_seed(15)
planned, actual = 36, 36
net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=planned, eta_min=1e-4)
for step in range(actual):
    x = torch.randn(32, 4)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > x[:, 2]).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 12 == 0:
        print(step, loss.item(), sched.get_last_lr())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
