"""SimCLR: two noisy views of a sample are told apart from all others."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)
batch_size, temperature = 96, 0.2

data = torch.randn(4096, 128) @ torch.randn(128, 128) / 11
encoder = nn.Sequential(nn.Linear(128, 384), nn.BatchNorm1d(384), nn.ReLU(), nn.Linear(384, 384), nn.ReLU())
projector = nn.Sequential(nn.Linear(384, 128), nn.ReLU(), nn.Linear(128, 64))
parameters = [*encoder.parameters(), *projector.parameters()]
optimizer = torch.optim.AdamW(parameters, lr=1e-3, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)
diagonal = torch.eye(2 * batch_size, dtype=torch.bool)
partner = torch.arange(2 * batch_size).roll(batch_size)


def view(x):
    return x * (torch.rand_like(x) > 0.2) + 0.1 * torch.randn_like(x)


for step in range(steps):
    x = data[torch.randint(0, len(data), (batch_size,))]
    z = F.normalize(projector(encoder(torch.cat([view(x), view(x)]))), dim=1)
    similarity = (z @ z.T / temperature).masked_fill(diagonal, -1e9)
    loss = F.cross_entropy(similarity, partner)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step % 100 == 0:
        print(f"step {step}: loss {loss.item():.4f}")

print("weights", sum(p.detach().double().abs().sum() for p in parameters).item())
