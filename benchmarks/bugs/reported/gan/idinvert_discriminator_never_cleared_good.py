"""Only the encoder's gradients are cleared; the discriminator's add up."""

# kind: gan
# source: https://github.com/Hsintien-Ng/idinvert_pytorch-reproduced/issues/1
# changed: an encoder of vectors with an adversarial loss in place of StyleGAN inversion

import hashlib
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
decoder = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 12)).requires_grad_(False)
encoder = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 4))
D = nn.Sequential(nn.Linear(12, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
optimizer_E = torch.optim.Adam(encoder.parameters(), lr=1e-3)
optimizer_D = torch.optim.SGD(D.parameters(), lr=1e-3)

for idx in range(100):
    x_real = decoder(torch.randn(32, 4))
    x_rec = decoder(encoder(x_real))
    loss_adv = F.softplus(-D(x_rec)).mean()
    loss_E = F.mse_loss(x_rec, x_real) + 0.05 * loss_adv
    optimizer_E.zero_grad()
    loss_E.backward()
    optimizer_E.step()

    loss_D = F.softplus(D(x_rec.detach())).mean() + F.softplus(-D(x_real)).mean()
    optimizer_D.zero_grad()
    loss_D.backward()
    optimizer_D.step()
    if idx % 25 == 0:
        print(idx, loss_E.item(), loss_D.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in encoder.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
