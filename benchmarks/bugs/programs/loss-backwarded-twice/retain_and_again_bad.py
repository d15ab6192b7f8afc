"""Backward once for logging gradient norms, and once more for the step."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 20), nn.ReLU(), nn.Linear(20, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.02)
for step in range(20):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(model(x), x.abs().sum(dim=1, keepdim=True))
    opt.zero_grad()
    loss.backward(retain_graph=True)  # BUG: loss-backwarded-twice
    if step % 5 == 0:
        norm = sum(p.grad.norm() ** 2 for p in model.parameters()) ** 0.5
        print(step, loss.item(), norm.item())
    loss.backward()  # BUG: loss-backwarded-twice
    opt.step()

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
