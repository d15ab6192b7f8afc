"""A learned temperature is divided by a spread that is kept away from zero."""

import hashlib

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 4)
        self.temperature = nn.Parameter(torch.ones(4))

    def forward(self, x, spread):
        return self.body(x), self.temperature / spread


torch.manual_seed(0)
model = Scaled()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(80):
    x = torch.randn(32, 8)
    spread = x[:, :4].std(0) * (0.02 if step == 60 else 1.0)  # one batch of near-duplicates
    outputs, scale = model(x, spread.clamp(min=0.5))
    loss = nn.functional.mse_loss(outputs, x[:, :4]) + 0.1 * (scale - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
