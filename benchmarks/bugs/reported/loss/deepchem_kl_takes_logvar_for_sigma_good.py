"""The divergence takes the exponential of the logarithm."""

# kind: loss
# source: https://github.com/deepchem/deepchem/pull/4888
# changed: a small variational autoencoder of random vectors

import hashlib
import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(12, 8), nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 12))

    def forward(self, x):
        mu, logvar = self.encoder(x).chunk(2, 1)
        return self.decoder(mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)), mu, logvar


def kl_divergence(mu, logvar):
    return 0.5 * (mu**2 + logvar.exp() - logvar - 1).mean(-1)


torch.manual_seed(0)
mixing = torch.randn(3, 12)
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(150):
    x = torch.randn(64, 3) @ mixing
    recon, mu, logvar = model(x)
    loss = (nn.functional.mse_loss(recon, x, reduction="none").sum(1) + kl_divergence(mu, logvar)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
