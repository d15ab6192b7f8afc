"""Two views of each sample, compared with all others of the batch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = torch.randn(1200, 16)
encoder = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 16))
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
for epoch in range(5):
    for (x,) in DataLoader(TensorDataset(data), batch_size=48, shuffle=True, drop_last=True):
        a = nn.functional.normalize(encoder(x + 0.3 * torch.randn_like(x)), dim=1)
        b = nn.functional.normalize(encoder(x + 0.3 * torch.randn_like(x)), dim=1)
        loss = nn.functional.cross_entropy(a @ b.t() / 0.2, torch.arange(len(x)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
