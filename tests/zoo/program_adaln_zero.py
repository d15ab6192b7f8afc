"""A diffusion-transformer block with adaLN-zero: modulation and output layer start at zero."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d, elementwise_affine=False)
        self.mlp = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))
        self.modulation = nn.Linear(d, 3 * d)
        nn.init.zeros_(self.modulation.weight)
        nn.init.zeros_(self.modulation.bias)

    def forward(self, x, c):
        shift, scale, gate = self.modulation(c).chunk(3, dim=-1)
        return x + gate * self.mlp(self.norm(x) * (1 + scale) + shift)


class Denoiser(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.time = nn.Linear(1, d)
        self.blocks = nn.ModuleList(Block(d) for _ in range(2))
        self.out = nn.Linear(d, d)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, x, t):
        c = torch.nn.functional.silu(self.time(t))
        for block in self.blocks:
            x = block(x, c)
        return self.out(x)


torch.manual_seed(0)
model = Denoiser()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(20):
    x, noise, t = torch.randn(16, 8), torch.randn(16, 8), torch.rand(16, 1)
    loss = nn.functional.mse_loss(model((1 - t) * x + t * noise, t), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
