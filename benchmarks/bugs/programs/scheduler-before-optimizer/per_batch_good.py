"""One-cycle schedule advanced before each update."""

import hashlib

import torch
from torch import nn

torch.manual_seed(1)
steps = 30
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.05, total_steps=steps + 1)
for step in range(steps):
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(model(x), x[:, :1] - x[:, 1:2])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
