"""DCGAN as in the tutorial: D.zero_grad(), two backwards for D, one for G, no detach needed where it is cleared."""

import torch
from torch import nn

torch.manual_seed(0)
netG = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
netD = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1), nn.Sigmoid())
optimizerD = torch.optim.Adam(netD.parameters(), lr=1e-3)
optimizerG = torch.optim.Adam(netG.parameters(), lr=1e-3)
criterion = nn.BCELoss()
for _ in range(15):
    netD.zero_grad()
    label = torch.full((16,), 1.0)
    errD_real = criterion(netD(torch.randn(16, 2) + 1).view(-1), label)
    errD_real.backward()
    fake = netG(torch.randn(16, 3))
    label.fill_(0.0)
    errD_fake = criterion(netD(fake.detach()).view(-1), label)
    errD_fake.backward()
    optimizerD.step()
    netG.zero_grad()
    label.fill_(1.0)
    errG = criterion(netD(fake).view(-1), label)
    errG.backward()
    optimizerG.step()
