"""A GAN learns a ring of eight Gaussians."""

import math
import sys

import torch
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)
batch_size = 64


def real_samples(n):
    angle = torch.randint(0, 8, (n,)) * (2 * math.pi / 8)
    return torch.stack([angle.cos(), angle.sin()], dim=1) + 0.05 * torch.randn(n, 2)


G = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
D = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(batch_size, 1), torch.zeros(batch_size, 1)

for step in range(steps):
    real = real_samples(batch_size)
    fake = G(torch.randn(batch_size, 8))

    opt_d.zero_grad()
    loss_d = criterion(D(real), ones) + criterion(D(fake.detach()), zeros)
    loss_d.backward()
    opt_d.step()

    opt_g.zero_grad()
    loss_g = criterion(D(fake), ones)
    loss_g.backward()
    opt_g.step()

    if step % 500 == 0:
        print(f"step {step}: D {loss_d.item():.4f}, G {loss_g.item():.4f}")

weights = [*G.parameters(), *D.parameters()]
print("weights", sum(p.detach().double().abs().sum() for p in weights).item())
