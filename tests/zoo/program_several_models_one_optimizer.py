"""A VAE in three modules trained by one optimizer."""

import itertools

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(8, 24), nn.ReLU())
to_mu, to_logvar = nn.Linear(24, 3), nn.Linear(24, 3)
decoder = nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 8))
modules = (encoder, to_mu, to_logvar, decoder)
optimizer = torch.optim.Adam(itertools.chain(*[m.parameters() for m in modules]), lr=3e-3)
basis = torch.randn(3, 8)
for _ in range(25):
    x = torch.sigmoid(torch.randn(32, 3) @ basis)
    h = encoder(x)
    mu, logvar = to_mu(h), to_logvar(h)
    z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
    recon = F.binary_cross_entropy_with_logits(decoder(z), x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    loss = (recon + kld) / len(x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
