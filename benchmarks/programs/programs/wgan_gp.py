"""A Wasserstein GAN with gradient penalty: five steps of the critic for one of the generator."""

import sys

import torch
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)
batch_size, latent, n_critic = 64, 16, 5

data = torch.randn(4096, 32) @ torch.randn(32, 32) * 0.3
generator = nn.Sequential(nn.Linear(latent, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 32))
critic = nn.Sequential(nn.Linear(32, 128), nn.LeakyReLU(0.2), nn.Linear(128, 128), nn.LeakyReLU(0.2), nn.Linear(128, 1))
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-4, betas=(0.0, 0.9))
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))


def gradient_penalty(real, fake):
    mix = torch.rand(len(real), 1)
    between = (mix * real + (1 - mix) * fake).requires_grad_(True)
    scores = critic(between)
    (gradient,) = torch.autograd.grad(scores, between, torch.ones_like(scores), create_graph=True)
    return ((gradient.norm(2, dim=1) - 1) ** 2).mean()


for step in range(steps):
    real = data[torch.randint(0, len(data), (batch_size,))]
    with torch.no_grad():
        fake = generator(torch.randn(batch_size, latent))
    opt_c.zero_grad()
    loss_c = critic(fake).mean() - critic(real).mean() + 10 * gradient_penalty(real, fake)
    loss_c.backward()
    opt_c.step()

    if step % n_critic == n_critic - 1:
        opt_g.zero_grad()
        loss_g = -critic(generator(torch.randn(batch_size, latent))).mean()
        loss_g.backward()
        opt_g.step()

    if step % 250 == 0:
        print(f"step {step}: critic {loss_c.item():.4f}")

weights = [*generator.parameters(), *critic.parameters()]
print("weights", sum(p.detach().double().abs().sum() for p in weights).item())
