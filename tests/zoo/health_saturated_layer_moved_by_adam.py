"""Bright images drive an autoencoder's first tanh to its ends, but Adam moves the layer before it like the others."""

import torch
from torch import nn

torch.manual_seed(0)
patterns = (torch.rand(6, 784) > 0.6).float() * 0.8
encoder = nn.Sequential(nn.Linear(784, 32), nn.Tanh(), nn.Linear(32, 12), nn.Tanh(), nn.Linear(12, 3))
decoder = nn.Sequential(nn.Linear(3, 12), nn.Tanh(), nn.Linear(12, 32), nn.Tanh(), nn.Linear(32, 784), nn.Sigmoid())
model = nn.Sequential(encoder, decoder)
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
for _ in range(100):
    images = patterns[torch.randint(0, 6, (32,))] + 0.1 * torch.rand(32, 784)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(images), images).backward()
    optimizer.step()
