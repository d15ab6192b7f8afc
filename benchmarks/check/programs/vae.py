"""A variational autoencoder with a loss written by hand, which draws random numbers in both modes."""

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
data = (torch.randn(1500, 2) @ torch.randn(2, 12)).sigmoid()


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(12, 32)
        self.mu, self.logvar = nn.Linear(32, 2), nn.Linear(32, 2)
        self.dec = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 12))

    def forward(self, x):
        h = self.enc(x).relu()
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z).sigmoid(), mu, logvar


model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(6):
    for x in DataLoader(data, batch_size=50, shuffle=True):
        out, mu, logvar = model(x)
        reconstruction = ((out - x) ** 2).sum(1).mean()
        kl = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum(1).mean()
        loss = reconstruction + 0.1 * kl
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
