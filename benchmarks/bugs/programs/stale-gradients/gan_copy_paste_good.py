"""A conditional GAN in one class, its two updates written by copy and paste."""

import hashlib

import torch
import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, nz, classes):
        super().__init__()
        self.embed = nn.Embedding(classes, 4)
        self.main = nn.Sequential(nn.Linear(nz + 4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 2))

    def forward(self, z, c):
        return self.main(torch.cat([z, self.embed(c)], dim=1))


class Discriminator(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.embed = nn.Embedding(classes, 4)
        self.main = nn.Sequential(nn.Linear(2 + 4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, x, c):
        return self.main(torch.cat([x, self.embed(c)], dim=1)).squeeze(1)


class CGAN:
    def __init__(self, nz=4, classes=3):
        self.nz = nz
        self.G = Generator(nz, classes)
        self.D = Discriminator(classes)
        self.optG = torch.optim.Adam(self.G.parameters(), lr=2e-4, betas=(0.5, 0.999))
        self.optD = torch.optim.Adam(self.D.parameters(), lr=2e-4, betas=(0.5, 0.999))
        self.criterion = nn.BCEWithLogitsLoss()

    def update(self, real, c):
        b = real.size(0)
        ones, zeros = torch.ones(b), torch.zeros(b)

        # train D
        self.optD.zero_grad()
        fake = self.G(torch.randn(b, self.nz), c)
        errD_real = self.criterion(self.D(real, c), ones)
        errD_fake = self.criterion(self.D(fake.detach(), c), zeros)
        errD = errD_real + errD_fake
        errD.backward()
        self.optD.step()

        # train G
        self.optG.zero_grad()
        errG = self.criterion(self.D(fake, c), ones)
        errG.backward()
        self.optG.step()
        return errD.item(), errG.item()


torch.manual_seed(0)
gan = CGAN()
centers = torch.tensor([[2.0, 0.0], [-1.0, 1.5], [-1.0, -1.5]])
for i in range(30):
    c = torch.randint(0, 3, (32,))
    d_loss, g_loss = gan.update(centers[c] + 0.2 * torch.randn(32, 2), c)
    if i % 10 == 0:
        print("[%d] Loss_D: %.4f Loss_G: %.4f" % (i, d_loss, g_loss))

final = b"".join(t.detach().numpy().tobytes() for m in (gan.G, gan.D) for t in m.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
