"""VQ-VAE with a straight-through estimator: codes are chosen by argmin and gradients are copied past the choice."""

import torch
from torch import nn
from torch.nn import functional


class VectorQuantiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4))
        self.codes = nn.Embedding(8, 4)
        self.decoder = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 6))

    def forward(self, x):
        z = self.encoder(x)
        q = self.codes(torch.cdist(z.detach(), self.codes.weight.detach()).argmin(1))
        commit = functional.mse_loss(q, z.detach()) + 0.25 * functional.mse_loss(q.detach(), z)
        return self.decoder(z + (q - z).detach()), commit


torch.manual_seed(0)
model = VectorQuantiser()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for _ in range(20):
    x = torch.randn(32, 6)
    out, commit = model(x)
    loss = functional.mse_loss(out, x) + commit
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
