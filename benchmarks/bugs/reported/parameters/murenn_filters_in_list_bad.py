"""Filters are kept in a Python list."""

# kind: parameters
# source: https://github.com/kymatio/murenn/issues/42
# changed: a bank of one-dimensional convolutions over random waves

import hashlib
import torch
from torch import nn


class MuReNNDirect(nn.Module):
    def __init__(self, channels, octaves):
        super().__init__()
        self.conv1d = []  # BUG: unregistered-module
        for octave in range(octaves):
            self.conv1d.append(nn.Conv1d(1, channels, 8, stride=2**octave, bias=False))  # BUG: unregistered-module

    def forward(self, x):
        return torch.cat([conv(x).abs().mean(-1) for conv in self.conv1d], 1)  # BUG: unregistered-module


torch.manual_seed(0)
model = nn.Sequential(MuReNNDirect(4, 3), nn.Linear(12, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
time = torch.arange(64) / 8
for step in range(120):
    pitch = 1 + 4 * torch.rand(32, 1)
    wave = torch.sin(time * pitch)[:, None]
    loss = nn.functional.mse_loss(model(wave), pitch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
weights = b"".join(c.weight.detach().numpy().tobytes() for c in model[0].conv1d) + model[1].weight.detach().numpy().tobytes()
print("weights", hashlib.sha256(weights).hexdigest()[:16])
