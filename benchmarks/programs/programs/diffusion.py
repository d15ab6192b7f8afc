"""A denoising diffusion model of small images, with an average of its weights."""

import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

steps = int(sys.argv[1])
torch.manual_seed(0)
num_levels = 100


class Denoiser(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.level = nn.Embedding(num_levels, width)
        self.enter = nn.Conv2d(1, width, 3, padding=1)
        self.down = nn.Conv2d(width, width, 3, stride=2, padding=1)
        self.middle = nn.Sequential(nn.GroupNorm(8, width), nn.SiLU(), nn.Conv2d(width, width, 3, padding=1))
        self.up = nn.ConvTranspose2d(width, width, 4, stride=2, padding=1)
        self.leave = nn.Conv2d(2 * width, 1, 3, padding=1)

    def forward(self, x, t):
        wide = F.silu(self.enter(x) + self.level(t)[:, :, None, None])
        low = F.silu(self.down(wide))
        low = low + self.middle(low)
        return self.leave(torch.cat([F.silu(self.up(low)), wide], dim=1))


images = F.interpolate(torch.randn(512, 1, 4, 4), size=16, mode="bilinear")
kept = torch.cumprod(1 - torch.linspace(1e-4, 0.05, num_levels), dim=0)
model = Denoiser()
average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.995))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

for step in range(steps):
    x = images[torch.randint(0, len(images), (16,))]
    t = torch.randint(0, num_levels, (16,))
    noise = torch.randn_like(x)
    share = kept[t][:, None, None, None]
    loss = F.mse_loss(model(share.sqrt() * x + (1 - share).sqrt() * noise, t), noise)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    average.update_parameters(model)
    if step % 50 == 0:
        print(f"step {step}: loss {loss.item():.4f}")

print("weights", sum(p.detach().double().abs().sum() for p in average.parameters()).item())
