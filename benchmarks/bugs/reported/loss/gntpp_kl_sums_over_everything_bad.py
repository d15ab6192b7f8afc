"""The KL term is summed over the whole batch to one number before it is masked."""

# kind: loss
# source: https://github.com/EDAPINENUT/GNTPP/issues/4
# changed: a small variational autoencoder of made-up event sequences

import hashlib

import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self, width=8, latent=4):
        super().__init__()
        self.encoder = nn.Linear(width, 2 * latent)
        self.decoder = nn.Sequential(nn.Linear(latent, 32), nn.ReLU(), nn.Linear(32, width))

    def compute_loss(self, x, seq_onehots):
        mean, log_var = self.encoder(x).chunk(2, -1)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_var)
        recon_loss = (self.decoder(z) - x).pow(2).sum(-1) * seq_onehots
        kl_loss = (-0.5 * torch.sum(1 + log_var - mean.pow(2) - log_var.exp())) * seq_onehots  # BUG: mask-after-reduction
        return (recon_loss + kl_loss).sum() / seq_onehots.sum()  # BUG: mask-after-reduction


torch.manual_seed(0)
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(200):
    x = torch.randn(16, 1, 8).expand(16, 10, 8) + 0.2 * torch.randn(16, 10, 8)
    lengths = torch.randint(4, 11, (16,))
    seq_onehots = (torch.arange(10) < lengths[:, None]).float()
    loss = model.compute_loss(x, seq_onehots)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
