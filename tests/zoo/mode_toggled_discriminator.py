"""The discriminator is frozen for the generator's turn: its batch-norm moves, its weights move in its own turn."""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 4))
critic = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
generator_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(12):
    noise, real = torch.randn(16, 4), torch.randn(16, 4) + 1
    fake = generator(noise)
    critic.requires_grad_(False)
    generator_optimizer.zero_grad()
    nn.functional.softplus(-critic(fake)).mean().backward()
    generator_optimizer.step()
    critic.requires_grad_(True)
    critic_optimizer.zero_grad()
    loss = nn.functional.softplus(-critic(real)).mean() + nn.functional.softplus(critic(fake.detach())).mean()
    loss.backward()
    critic_optimizer.step()
