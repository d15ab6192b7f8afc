"""The adversarial part of the generator's loss is computed on a detached prediction of the discriminator."""

# kind: gan
# source: https://github.com/wangle53/CSA-CDGAN/issues/5
# changed: vectors in place of images; a reconstruction loss beside it, as there

import hashlib
import torch
from torch import nn

torch.manual_seed(5)
G = nn.Sequential(nn.Linear(8, 32), nn.LeakyReLU(0.2), nn.Linear(32, 4))
D = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.999))
bce, con = nn.BCEWithLogitsLoss(), nn.L1Loss()
mix = torch.randn(8, 4)
for i in range(120):
    x = torch.randn(32, 8)
    gt = torch.tanh(x @ mix)
    fake = G(x)
    pred_real, pred_fake = D(gt), D(fake.detach())
    err_d = bce(pred_real, torch.ones_like(pred_real)) + bce(pred_fake, torch.zeros_like(pred_fake))
    opt_d.zero_grad()
    err_d.backward()
    opt_d.step()

    opt_g.zero_grad()
    pred = D(fake).detach()  # BUG: loss-term-without-gradient
    err_adv = bce(pred, torch.ones_like(pred))  # BUG: loss-term-without-gradient
    err_g = 10 * con(fake, gt) + err_adv  # BUG: loss-term-without-gradient
    err_g.backward()  # BUG: loss-term-without-gradient
    opt_g.step()
print(err_d.item(), err_g.item())

weights = b"".join(p.detach().numpy().tobytes() for p in G.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
