"""A GAN that switches the discriminator's gradients off while the generator trains."""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8))
critic = nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
one, zero = torch.ones(16, 1), torch.zeros(16, 1)
for _ in range(12):
    critic.requires_grad_(True)
    opt_c.zero_grad()
    fake = generator(torch.randn(16, 4))
    (bce(critic(torch.randn(16, 8)), one) + bce(critic(fake.detach()), zero)).backward()
    opt_c.step()
    critic.requires_grad_(False)
    opt_g.zero_grad()
    bce(critic(fake), one).backward()
    opt_g.step()
