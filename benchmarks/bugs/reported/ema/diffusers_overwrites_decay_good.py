"""step() keeps the decay of this step in a variable."""

# kind: ema
# source: https://github.com/huggingface/diffusers/issues/1864
# changed: a small denoiser of random vectors

import copy
import hashlib
import torch
from torch import nn


class EMAModel:
    def __init__(self, parameters, decay=0.9999):
        self.shadow_params = [p.clone().detach() for p in parameters]
        self.decay = decay
        self.optimization_step = 0

    @torch.no_grad()
    def step(self, parameters):
        self.optimization_step += 1
        value = (1 + self.optimization_step) / (10 + self.optimization_step)
        one_minus_decay = 1 - min(self.decay, value)
        for s_param, param in zip(self.shadow_params, parameters):
            s_param.add_(one_minus_decay * (param - s_param))


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(9, 64), nn.SiLU(), nn.Linear(64, 8))
ema = EMAModel(list(model.parameters()), 0.999)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(150):
    clean, noise, t = torch.randn(32, 8).sign(), torch.randn(32, 8), torch.rand(32, 1)
    noisy = (1 - t).sqrt() * clean + t.sqrt() * noise
    loss = nn.functional.mse_loss(model(torch.cat([noisy, t], 1)), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ema.step(list(model.parameters()))
final = copy.deepcopy(model)
with torch.no_grad():
    for p, s in zip(final.parameters(), ema.shadow_params):
        p.copy_(s)
print(loss.item())
weights = b"".join(p.detach().numpy().tobytes() for p in final.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
