"""Predictions of shape (n, 1) and targets of shape (n) are subtracted, which compares each with all."""

# kind: loss
# source: https://github.com/manzilzaheer/DeepSets/pull/2
# changed: sets of random numbers, of which the spread is asked

import hashlib

import torch
from torch import nn


class DeepSet(nn.Module):
    def __init__(self):
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(1, 32), nn.ELU(), nn.Linear(32, 32), nn.ELU())
        self.rho = nn.Sequential(nn.Linear(32, 32), nn.ELU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.rho(self.phi(x).mean(1))


torch.manual_seed(0)
model = DeepSet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(150):
    sigma = torch.rand(32) * 2 + 0.1
    x = torch.randn(32, 50, 1) * sigma[:, None, None]
    y = torch.log(sigma)
    y_pred = model(x)
    y_pred = y_pred.squeeze(1)
    loss = torch.mean((y - y_pred) ** 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
