"""ReLU output into BCEWithLogitsLoss."""

import hashlib

import torch
from torch import nn

torch.manual_seed(12)
net = nn.Sequential(nn.Linear(5, 20), nn.ReLU(), nn.Linear(20, 3), nn.ReLU())
bce = nn.BCEWithLogitsLoss()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for step in range(25):
    x = torch.randn(40, 5)
    y = (x[:, :3] > 0).float()
    loss = bce(net(x), y)  # BUG: relu-before-loss
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
