"""Evaluates with averaged weights that are swapped in and out again."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Dropout(0.1), nn.Linear(24, 3))
ema = copy.deepcopy(model).requires_grad_(False)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
x_val = torch.randn(32, 6)
for _ in range(3):
    model.train()
    for _ in range(8):
        x = torch.randn(16, 6)
        loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for p, q in zip(model.parameters(), ema.parameters()):
                q.lerp_(p, 0.1)
    backup = {k: v.clone() for k, v in model.state_dict().items()}
    model.load_state_dict(ema.state_dict())
    model.eval()
    with torch.no_grad():
        model(x_val)
    model.load_state_dict(backup)
