"""Adam at the peak rate from its first step on."""

import hashlib

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 64), nn.LeakyReLU(), nn.Linear(64, 64), nn.LeakyReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.3)  # BUG: loss-spike-at-start
scheduler = LambdaLR(optimizer, lambda step: max(0.01, 1 - step / 40))
for step in range(40):
    x = torch.randn(32, 8)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # BUG: loss-spike-at-start
    scheduler.step()
    print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
