"""The optimizer of the autoencoder gets the encoder's parameters alone."""

# kind: parameters
# source: https://github.com/zdebruine/MMVAE/issues/39
# changed: a small variational autoencoder on random counts

import hashlib
import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    def __init__(self, d=20, z=4):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(d, 32), nn.ReLU())
        self.mean, self.var = nn.Linear(32, z), nn.Linear(32, z)
        self.decoder = nn.Sequential(nn.Linear(z, 32), nn.ReLU(), nn.Linear(32, d))

    def forward(self, x):
        h = self.encoder(x)
        mu, logvar = self.mean(h), self.var(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.decoder(z), mu, logvar


def configure_optimizers(vae):
    encoder = [*vae.encoder.parameters(), *vae.mean.parameters(), *vae.var.parameters()]
    return torch.optim.Adam(encoder, lr=2e-3)  # BUG: parameters-not-in-optimizer


torch.manual_seed(0)
vae = VAE()
optimizer = configure_optimizers(vae)  # BUG: parameters-not-in-optimizer
basis = torch.randn(4, 20)
for step in range(120):
    x = torch.randn(32, 4) @ basis
    recon, mu, logvar = vae(x)
    kl = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum(1).mean()
    loss = F.mse_loss(recon, x) + 0.01 * kl
    optimizer.zero_grad()
    loss.backward()  # BUG: parameters-not-in-optimizer
    optimizer.step()  # BUG: parameters-not-in-optimizer
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in vae.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
