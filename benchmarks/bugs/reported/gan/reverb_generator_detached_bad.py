"""The generator's own step gives the discriminator a detached image."""

# kind: gan
# source: https://github.com/nikhilsinghmus/image2reverb/issues/37
# changed: vectors in place of spectrograms; both losses of the generator are kept
# gap: the term has a gradient, to the discriminator alone; only terms without any are looked at

import hashlib
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(6, 32), nn.LeakyReLU(0.2), nn.Linear(32, 10))
discriminator = nn.Sequential(nn.Linear(16, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
g_optim = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.0, 0.99))
d_optim = torch.optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.0, 0.99))
mixing = torch.randn(6, 10)


def d(spec, features):
    return discriminator(torch.cat([spec, features], 1))


for step in range(100):
    features = torch.randn(32, 6)
    spec = torch.tanh(features @ mixing) + 0.05 * torch.randn(32, 10)

    fake_spec = generator(features)
    d_real, d_fake = d(spec, features), d(fake_spec.detach(), features)
    d_loss = F.mse_loss(d_real, torch.ones_like(d_real)) + F.mse_loss(d_fake, torch.zeros_like(d_fake))
    d_optim.zero_grad()
    d_loss.backward()
    d_optim.step()

    fake_spec = generator(features)
    d_fake2 = d(fake_spec.detach(), features)  # BUG: loss-term-without-gradient, prediction-without-gradient, graph-cut
    g_loss1 = F.mse_loss(d_fake2, torch.ones_like(d_fake2))  # BUG: loss-term-without-gradient, prediction-without-gradient, graph-cut
    g_loss2 = F.l1_loss(fake_spec, spec)
    g_loss = g_loss1 + 10 * g_loss2  # BUG: loss-term-without-gradient, prediction-without-gradient, graph-cut
    g_optim.zero_grad()
    g_loss.backward()  # BUG: loss-term-without-gradient, prediction-without-gradient, graph-cut
    g_optim.step()
print(d_loss.item(), g_loss2.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in generator.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
