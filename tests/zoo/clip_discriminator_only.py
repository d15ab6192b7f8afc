"""A GAN that clips only the discriminator, with gradients cleared right after each step."""

import torch

torch.manual_seed(0)
generator = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
discriminator = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.LeakyReLU(0.2), torch.nn.Linear(8, 1))
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
bce = torch.nn.functional.binary_cross_entropy_with_logits
for _ in range(12):
    real, fake = torch.randn(16, 2) + 1, generator(torch.randn(16, 2))
    loss_d = bce(discriminator(real), torch.ones(16, 1)) + bce(discriminator(fake.detach()), torch.zeros(16, 1))
    loss_d.backward()
    torch.nn.utils.clip_grad_norm_(discriminator.parameters(), 1.0)
    opt_d.step()
    opt_d.zero_grad()

    loss_g = bce(discriminator(fake), torch.ones(16, 1))
    loss_g.backward()
    opt_g.step()
    opt_g.zero_grad()
    opt_d.zero_grad()
