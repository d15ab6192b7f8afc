"""A generator and a discriminator that take turns."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
real = torch.randn(1000, 2) * 0.3 + torch.tensor([1.0, -1.0])
loader = DataLoader(TensorDataset(real), batch_size=50, shuffle=True)
G = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
for _ in range(10):
    for (x,) in loader:
        ones, zeros = torch.ones(len(x), 1), torch.zeros(len(x), 1)
        fake = G(torch.randn(len(x), 4))
        opt_d.zero_grad()
        (bce(D(x), ones) + bce(D(fake.detach()), zeros)).backward()
        opt_d.step()
        opt_g.zero_grad()
        bce(D(fake), ones).backward()
        opt_g.step()
