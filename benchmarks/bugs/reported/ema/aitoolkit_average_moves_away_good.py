"""The average is moved towards the weights."""

# kind: ema
# source: https://github.com/ostris/ai-toolkit/issues/1034
# changed: a low-rank adapter on a random frozen layer

import hashlib
import torch
from torch import nn


class ExponentialMovingAverage:
    def __init__(self, parameters, decay):
        self.decay = decay
        self.shadow_params = [p.clone().detach() for p in parameters]

    @torch.no_grad()
    def update(self, parameters):
        one_minus_decay = 1.0 - self.decay
        for s_param, param in zip(self.shadow_params, parameters):
            gap = s_param - param
            s_param.sub_(gap * one_minus_decay)


torch.manual_seed(0)
base = nn.Linear(12, 12).requires_grad_(False)
down, up = nn.Linear(12, 3, bias=False), nn.Linear(3, 12, bias=False)
nn.init.zeros_(up.weight)
parameters = [down.weight, up.weight]
optimizer = torch.optim.AdamW(parameters, lr=3e-3)
ema = ExponentialMovingAverage(parameters, 0.99)
goal = torch.randn(12, 12) / 4
for step in range(200):
    x = torch.randn(24, 12)
    loss = nn.functional.mse_loss(base(x) + up(down(x)), x @ goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ema.update(parameters)
print(loss.item())
weights = b"".join(p.detach().numpy().tobytes() for p in ema.shadow_params)
print("weights", hashlib.sha256(weights).hexdigest()[:16])
