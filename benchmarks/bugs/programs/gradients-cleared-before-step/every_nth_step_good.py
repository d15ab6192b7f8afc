"""Logs and resets gradients on the steps where it prints."""

import hashlib

import torch
from torch import nn

torch.manual_seed(4)
data = torch.randn(400, 6)
target = (data[:, 0] * data[:, 1]).unsqueeze(1)

net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

order = torch.randperm(400)
for i in range(0, 400, 10):
    batch = order[i : i + 10]
    loss = nn.functional.smooth_l1_loss(net(data[batch]), target[batch])
    if (i // 10) % 4 == 0:
        print(i, loss.item())
        optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()

final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
