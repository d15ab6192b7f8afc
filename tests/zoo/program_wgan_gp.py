"""WGAN with gradient penalty, five critic steps per generator step."""

import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
C = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.1), nn.Linear(16, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.0, 0.9))
opt_c = torch.optim.Adam(C.parameters(), lr=1e-3, betas=(0.0, 0.9))
for _ in range(6):
    for _ in range(5):
        real, fake = torch.randn(16, 2) + 1, G(torch.randn(16, 2)).detach()
        mix = (real + torch.rand(16, 1) * (fake - real)).requires_grad_(True)
        (slope,) = torch.autograd.grad(C(mix).sum(), mix, create_graph=True)
        penalty = ((slope.norm(dim=1) - 1) ** 2).mean()
        loss = C(fake).mean() - C(real).mean() + 10 * penalty
        opt_c.zero_grad()
        loss.backward()
        opt_c.step()
    opt_g.zero_grad()
    (-C(G(torch.randn(16, 2))).mean()).backward()
    opt_g.step()
