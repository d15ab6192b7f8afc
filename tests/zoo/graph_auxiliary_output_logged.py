"""A second head runs in every step; its output is only logged, through NumPy, and labels come from NumPy as well."""

import numpy as np
import torch
from torch import nn


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.Tanh())
        self.main = nn.Linear(16, 1)
        self.aux = nn.Linear(16, 1)

    def forward(self, x):
        h = self.body(x)
        return self.main(h), self.aux(h.detach())


torch.manual_seed(0)
rng = np.random.default_rng(0)
model = TwoHeads()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
log = []
for _ in range(12):
    x = torch.from_numpy(rng.normal(size=(16, 4)).astype(np.float32))
    y = torch.from_numpy(x.numpy().sum(1, keepdims=True))
    out, aux = model(x)
    log.append(float(aux.detach().numpy().mean()))
    loss = nn.functional.mse_loss(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    log.append(loss.item())
