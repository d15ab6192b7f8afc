"""Argmax predictions with requires_grad switched on to silence the error."""

import hashlib

import torch
from torch import nn

torch.manual_seed(16)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
mse = nn.MSELoss()
for step in range(20):
    x = torch.randn(32, 5)
    target = x[:, :3].argmax(dim=1)
    predicted = net(x).argmax(dim=1).float().requires_grad_(True)
    loss = mse(predicted, target.float())  # BUG: loss-detached-from-model
    opt.zero_grad()
    loss.backward()  # BUG: loss-detached-from-model, backward-misses-optimizer
    opt.step()  # BUG: loss-detached-from-model, backward-misses-optimizer, step-without-backward
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
