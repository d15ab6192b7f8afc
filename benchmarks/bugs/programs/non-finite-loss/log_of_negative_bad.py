"""log of a value that goes below zero now and then."""

import hashlib

import torch
import torch.nn as nn


class LogRatio(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        rate = self.net(x)
        return torch.log(rate)


torch.manual_seed(0)
model = LogRatio()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(15):
    x = torch.rand(32, 4)
    loss = nn.functional.mse_loss(model(x), x.mean(dim=1, keepdim=True))  # BUG: non-finite-loss
    optimizer.zero_grad()
    loss.backward()  # BUG: non-finite-loss
    optimizer.step()  # BUG: non-finite-loss  ALSO: non-finite-step
print("done")
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
