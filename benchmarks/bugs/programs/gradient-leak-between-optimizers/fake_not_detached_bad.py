"""Discriminator trained on generated samples that are still attached."""

import hashlib

import torch
from torch import nn


class GAN:
    def __init__(self):
        self.g = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 2))
        self.d = nn.Sequential(nn.Linear(2, 24), nn.LeakyReLU(0.1), nn.Linear(24, 1))
        self.opt_g = torch.optim.RMSprop(self.g.parameters(), lr=1e-3)
        self.opt_d = torch.optim.RMSprop(self.d.parameters(), lr=1e-3)

    def d_step(self, real):
        self.opt_d.zero_grad()
        fake = self.g(torch.randn(len(real), 2))
        loss = -(self.d(real).mean() - self.d(fake).mean())
        loss.backward()
        self.opt_d.step()
        return loss

    def g_step(self, n):
        fake = self.g(torch.randn(n, 2))
        loss = -self.d(fake).mean()
        loss.backward()
        self.opt_g.step()  # BUG: gradient-leak-between-optimizers
        self.opt_g.zero_grad()
        return loss


torch.manual_seed(41)
gan = GAN()
for step in range(25):
    real = torch.randn(32, 2) + 2
    ld = gan.d_step(real)
    lg = gan.g_step(32)
    if step % 8 == 0:
        print(step, ld.item(), lg.item())
models = (gan.g, gan.d)
final = b"".join(t.detach().float().numpy().tobytes() for m in models for t in m.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
