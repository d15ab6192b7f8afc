"""Latent codes are trained together with a decoder, then alone for new data."""

import torch
from torch import nn

torch.manual_seed(0)
data = torch.randn(32, 8)
codes, decoder = nn.Embedding(32, 4), nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8))
optimizer = torch.optim.Adam([*codes.parameters(), *decoder.parameters()], lr=1e-2)
for _ in range(10):
    index = torch.randint(0, 32, (16,))
    optimizer.zero_grad()
    nn.functional.mse_loss(decoder(codes(index)), data[index]).backward()
    optimizer.step()
del optimizer
decoder.eval()
code = nn.Parameter(torch.zeros(1, 4))
search = torch.optim.Adam([code], lr=1e-2)
for _ in range(10):
    search.zero_grad()
    nn.functional.mse_loss(decoder(code), torch.ones(1, 8)).backward()
    search.step()
