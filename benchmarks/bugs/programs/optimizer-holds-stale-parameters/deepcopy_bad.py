"""The optimizer is built on the model before it is copied."""

import copy
import hashlib

import torch
from torch import nn


def build_model():
    return nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))


torch.manual_seed(0)
base = build_model()
optimizer = torch.optim.Adam(
    base.parameters(), lr=1e-3
)  # BUG: optimizer-holds-stale-parameters, backward-misses-optimizer
model = copy.deepcopy(base)
for step in range(25):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(model(x), x[:, :1] * x[:, 1:2])
    optimizer.zero_grad()
    model.zero_grad()
    loss.backward()  # BUG: optimizer-holds-stale-parameters, backward-misses-optimizer
    optimizer.step()  # BUG: optimizer-holds-stale-parameters, backward-misses-optimizer
    if step % 8 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
