"""A linear decay that is shorter than the training goes on below zero."""

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
STEPS = 60
model = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / 40)  # BUG: negative-learning-rate  ALSO: loss-diverging
for _ in range(STEPS):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(model(x), x.mean(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # BUG: negative-learning-rate
    scheduler.step()  # BUG: negative-learning-rate

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
