"""The average moves in every micro-batch, so that it follows four times as fast as its decay says."""

# kind: ema
# source: https://github.com/SWivid/F5-TTS/issues/631
# changed: a small velocity field of points in the plane

import copy
import hashlib
import torch
from torch import nn

torch.manual_seed(0)
GRAD_ACCUM = 4


class EMA:
    def __init__(self, model, beta):
        self.ema_model = copy.deepcopy(model).eval().requires_grad_(False)
        self.online, self.beta = model, beta

    @torch.no_grad()
    def update(self):
        for slow, fast in zip(self.ema_model.parameters(), self.online.parameters()):
            slow.lerp_(fast, 1 - self.beta)


model = nn.Sequential(nn.Linear(3, 48), nn.SiLU(), nn.Linear(48, 2))
ema = EMA(model, 0.95)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(160):
    x1 = torch.randn(16, 2) * 0.2 + torch.tensor([2.0, -1.0])
    x0, t = torch.randn(16, 2), torch.rand(16, 1)
    v = model(torch.cat([(1 - t) * x0 + t * x1, t], 1))
    loss = (v - (x1 - x0)).pow(2).mean() / GRAD_ACCUM
    loss.backward()
    if (step + 1) % GRAD_ACCUM == 0:
        optimizer.step()
        optimizer.zero_grad()
        ema.update()
print(loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
