"""A GAN: fakes are made without gradient in train mode for the discriminator, and looked at now and then."""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
discriminator = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Dropout(0.1), nn.Linear(16, 1))
generator_optimizer = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
discriminator_optimizer = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()
fixed_noise = torch.randn(16, 4)
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
for step in range(20):
    real = torch.randn(16, 2) + 3
    with torch.no_grad():
        fake = generator(torch.randn(16, 4))
    discriminator_optimizer.zero_grad()
    loss = criterion(discriminator(real), ones) + criterion(discriminator(fake), zeros)
    loss.backward()
    discriminator_optimizer.step()

    generator_optimizer.zero_grad()
    criterion(discriminator(generator(torch.randn(16, 4))), ones).backward()
    generator_optimizer.step()
    if step % 5 == 0:
        with torch.no_grad():
            samples = generator(fixed_noise)
with torch.no_grad():
    samples = generator(fixed_noise)
