"""The error is made small."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(250):
    x = torch.randn(64, 8)
    error = nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    error.backward()
    optimizer.step()
    if step % 50 == 0:
        print(step, error.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
