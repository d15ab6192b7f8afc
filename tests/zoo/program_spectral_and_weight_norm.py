"""Spectral norm and weight norm: parametrized weights are recomputed at each forward."""

import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm, weight_norm

torch.manual_seed(0)
model = nn.Sequential(spectral_norm(nn.Linear(6, 24)), nn.LeakyReLU(), weight_norm(nn.Linear(24, 3)))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
x_val = torch.randn(16, 6)
for _ in range(3):
    model.train()
    for _ in range(8):
        x = torch.randn(16, 6)
        loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        model(x_val)
