"""A copied line: the generator's optimizer holds the discriminator."""

# kind: gan
# source: https://github.com/zhaoyuzhi/deepfillv2/pull/3
# changed: points in place of images; the wrong optimizer is that of the generator

import hashlib
import torch
from torch import nn

torch.manual_seed(23)
netG = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
netD = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
optimizerD = torch.optim.Adam(netD.parameters(), lr=1e-3)
optimizerG = torch.optim.Adam(netG.parameters(), lr=1e-3)
loss_fn = nn.BCEWithLogitsLoss()
for i in range(120):
    real = torch.randn(32, 2) * 0.3 + torch.tensor([1.0, 2.0])
    netD.zero_grad()
    fake = netG(torch.randn(32, 4))
    errD = loss_fn(netD(real), torch.ones(32, 1)) + loss_fn(netD(fake.detach()), torch.zeros(32, 1))
    errD.backward()
    optimizerD.step()
    netG.zero_grad()
    errG = loss_fn(netD(fake), torch.ones(32, 1))
    errG.backward()
    optimizerG.step()
print(errD.item(), errG.item())

weights = b"".join(p.detach().numpy().tobytes() for p in netG.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
