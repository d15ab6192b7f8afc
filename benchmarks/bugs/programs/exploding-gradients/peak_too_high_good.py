"""A cyclic rate with a peak that the model bears."""

import hashlib

import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scheduler = OneCycleLR(optimizer, max_lr=0.06, total_steps=200, pct_start=0.8, div_factor=60)
for step in range(200):
    x = torch.randn(64, 16)
    y = 4 * x[:, :1] + x[:, 1:2] * x[:, 2:3]
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if loss.item() > 1e8:
        break
print("stopped at", step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
