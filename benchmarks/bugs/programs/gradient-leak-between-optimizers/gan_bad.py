"""DCGAN training loop on 2-d points."""

import hashlib

import torch
import torch.nn as nn

torch.manual_seed(999)
nz = 4
netG = nn.Sequential(nn.Linear(nz, 32), nn.ReLU(), nn.Linear(32, 2))
netD = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
criterion = nn.BCEWithLogitsLoss()
optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-3, betas=(0.5, 0.999))

for i in range(30):
    real = torch.randn(32, 2) * 0.3 + torch.tensor([1.0, -1.0])
    noise = torch.randn(32, nz)
    fake = netG(noise)

    # update D
    errD = criterion(netD(real), torch.ones(32, 1)) + criterion(netD(fake.detach()), torch.zeros(32, 1))
    errD.backward()
    optimizerD.step()  # BUG: gradient-leak-between-optimizers
    optimizerD.zero_grad()

    # update G; this backward also fills netD's gradients
    optimizerG.zero_grad()
    errG = criterion(netD(fake), torch.ones(32, 1))
    errG.backward()
    optimizerG.step()
    if i % 10 == 0:
        print(f"[{i}] loss_D {errD.item():.4f} loss_G {errG.item():.4f}")

models = (netG, netD)
final = b"".join(t.detach().float().numpy().tobytes() for m in models for t in m.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
