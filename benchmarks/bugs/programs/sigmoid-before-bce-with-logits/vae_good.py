"""A variational auto-encoder of small binary pictures."""

import hashlib

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader


class VAE(nn.Module):
    def __init__(self, in_dim=36, hidden=32, latent=3):
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(in_dim, hidden), nn.ReLU())
        self.fc_mu = nn.Linear(hidden, latent)
        self.fc_var = nn.Linear(hidden, latent)
        self.decoder_input = nn.Linear(latent, hidden)
        self.decoder = nn.Sequential(nn.ReLU(), nn.Linear(hidden, in_dim))
        self.final_layer = nn.Unflatten(1, (1, 6, 6))

    def encode(self, x):
        h = self.encoder(x)
        return self.fc_mu(h), self.fc_var(h)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return eps * std + mu

    def decode(self, z):
        return self.final_layer(self.decoder(self.decoder_input(z)))

    def forward(self, x):
        mu, logvar = self.encode(x)
        return {"recons": self.decode(self.reparameterize(mu, logvar)), "mu": mu, "logvar": logvar}

    def loss_function(self, out, x, beta):
        n = x.size(0)
        recons_loss = F.binary_cross_entropy_with_logits(
            out["recons"].view(n, -1), x.view(n, -1), reduction="sum"
        ) / n
        kld = -0.5 * torch.sum(1 + out["logvar"] - out["mu"].pow(2) - out["logvar"].exp()) / n
        return {"loss": recons_loss + beta * kld, "rec": recons_loss.detach(), "kld": kld.detach()}


torch.manual_seed(42)
pictures = (torch.rand(160, 1, 1, 6) > 0.5).float() * (torch.rand(160, 1, 6, 1) > 0.5).float()
loader = DataLoader(pictures, batch_size=20, shuffle=True)
vae = VAE()
optimizer = torch.optim.Adam(vae.parameters(), lr=1e-3)
for epoch in range(3):
    vae.train()
    for x in loader:
        optimizer.zero_grad()
        losses = vae.loss_function(vae(x), x, beta=min(1.0, 0.3 * (epoch + 1)))
        losses["loss"].backward()
        optimizer.step()
    print(epoch, {k: round(v.item(), 3) for k, v in losses.items()})

final = b"".join(t.detach().numpy().tobytes() for t in vae.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
