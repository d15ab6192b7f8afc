"""The gradient of the penalty is taken without create_graph, so that the penalty trains nothing."""

# kind: gan
# source: https://github.com/igul222/improved_wgan_training/issues/18
# changed: a critic of points on a circle

import hashlib
import torch
from torch import nn

torch.manual_seed(4)
critic = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
gen = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
c_opt = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.0, 0.9))
g_opt = torch.optim.Adam(gen.parameters(), lr=1e-3, betas=(0.0, 0.9))


def gradient_penalty(real, fake):
    eps = torch.rand(real.size(0), 1)
    mixed = (eps * real + (1 - eps) * fake).requires_grad_(True)
    scores = critic(mixed)
    grads = torch.autograd.grad(scores.sum(), mixed)[0]  # BUG: loss-term-without-gradient
    return ((grads.norm(2, dim=1) - 1) ** 2).mean()


for it in range(60):
    for _ in range(3):
        angle = torch.rand(32) * 6.283
        real = torch.stack([angle.cos(), angle.sin()], 1)
        fake = gen(torch.randn(32, 4)).detach()
        gp = gradient_penalty(real, fake)  # BUG: loss-term-without-gradient
        loss = critic(fake).mean() - critic(real).mean() + 10 * gp  # BUG: loss-term-without-gradient
        c_opt.zero_grad()
        loss.backward()  # BUG: loss-term-without-gradient
        c_opt.step()
    g_loss = -critic(gen(torch.randn(32, 4))).mean()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
print(loss.item(), gp.item())

weights = b"".join(p.detach().numpy().tobytes() for p in critic.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
