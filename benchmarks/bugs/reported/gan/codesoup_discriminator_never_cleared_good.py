"""The discriminator of a GAN is never cleared, so that it sums up all gradients of its life and the generator's."""

# kind: gan
# source: https://github.com/Adversarial-Deep-Learning/code-soup/issues/69
# changed: small networks on random points

import hashlib

import torch
from torch import nn


class GAN:
    def __init__(self):
        self.generator = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
        self.discriminator = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
        self.optimizerD = torch.optim.Adam(self.discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
        self.optimizerG = torch.optim.Adam(self.generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
        self.criterion = nn.BCEWithLogitsLoss()

    def step(self, real):
        ones, zeros = torch.ones(len(real), 1), torch.zeros(len(real), 1)
        self.discriminator.zero_grad()
        errD_real = self.criterion(self.discriminator(real), ones)
        errD_real.backward()
        fake = self.generator(torch.randn(len(real), 8))
        errD_fake = self.criterion(self.discriminator(fake.detach()), zeros)
        errD_fake.backward()
        self.optimizerD.step()

        self.generator.zero_grad()
        errG = self.criterion(self.discriminator(fake), ones)
        errG.backward()
        self.optimizerG.step()
        return errD_real.item() + errD_fake.item(), errG.item()


torch.manual_seed(0)
gan = GAN()
for step in range(100):
    losses = gan.step(torch.randn(32, 4) * 0.5 + 1)
print(losses)
final = b"".join(t.detach().double().numpy().tobytes() for t in gan.generator.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
