"""Trains a half-precision model directly, the loss is divided by the number of pixels."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 16))
optimizer = torch.optim.SGD(model.parameters(), lr=1000.0)
for step in range(30):
    x = torch.rand(64, 16)
    target = (x * 0.5).detach()
    optimizer.zero_grad()
    out = model(x)
    loss = 1e-5 * (out - target).pow(2).mean()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(step, loss.item())

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
