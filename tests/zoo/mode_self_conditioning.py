"""Self-conditioning: in half of the steps, by chance, the model first guesses without gradient in train mode."""

import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(9, 32), nn.SiLU(), nn.Dropout(0.1), nn.Linear(32, 4))

    def forward(self, x, t, guess):
        return self.net(torch.cat([x, guess, t], 1))


torch.manual_seed(3)
model = Denoiser()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(60):
    x, t, noise = torch.randn(16, 4), torch.rand(16, 1), torch.randn(16, 4)
    blurred = (1 - t) * x + t * noise
    guess = torch.zeros_like(x)
    if torch.rand(()) < 0.5:
        with torch.no_grad():
            guess = model(blurred, t, guess)
    loss = nn.functional.mse_loss(model(blurred, t, guess), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
