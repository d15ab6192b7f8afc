"""A variational autoencoder of small binary images."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(256, 256)
        self.mean, self.log_var = nn.Linear(256, 16), nn.Linear(256, 16)
        self.decode = nn.Sequential(nn.Linear(16, 256), nn.ReLU(), nn.Linear(256, 256))

    def forward(self, x):
        hidden = F.relu(self.encode(x))
        mean, log_var = self.mean(hidden), self.log_var(hidden)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_var)
        return self.decode(z), mean, log_var


def elbo(logits, x, mean, log_var):
    reconstruction = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    divergence = -0.5 * torch.sum(1 + log_var - mean.pow(2) - log_var.exp())
    return (reconstruction + divergence) / len(x)


images = (torch.randn(2048, 8) @ torch.randn(8, 256) > 1).float()
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for step in range(steps):
    x = images[torch.randint(0, len(images), (128,))]
    logits, mean, log_var = model(x)
    loss = elbo(logits, x, mean, log_var)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step}: loss {loss.item():.3f}")

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
