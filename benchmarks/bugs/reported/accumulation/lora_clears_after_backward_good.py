"""zero_grad stands between backward and step."""

# kind: accumulation
# source: https://github.com/cloneofsimo/lora/issues/263
# changed: a low-rank adapter on a frozen linear layer in place of a diffusion model

import hashlib
import torch
from torch import nn


class LoraLinear(nn.Module):
    def __init__(self, linear, r=4):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.lora_down = nn.Linear(linear.in_features, r, bias=False)
        self.lora_up = nn.Linear(r, linear.out_features, bias=False)
        nn.init.zeros_(self.lora_up.weight)

    def forward(self, x):
        return self.linear(x) + self.lora_up(self.lora_down(x))


torch.manual_seed(0)
layer = LoraLinear(nn.Linear(16, 16))
teacher = nn.Linear(16, 16)
params = [p for p in layer.parameters() if p.requires_grad]
optimizer = torch.optim.AdamW(params, lr=5e-3)
progress = []
for global_step in range(100):
    noisy = torch.randn(32, 16)
    with torch.no_grad():
        target = teacher(noisy)
    loss = nn.functional.mse_loss(layer(noisy), target)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(params, 1.0)
    optimizer.step()
    progress.append(loss.item())
print(progress[-1])
final = b"".join(t.detach().float().numpy().tobytes() for t in layer.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
