"""SimSiam: each branch is the detached target of the other, and trains as the other's source."""

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 8))
predictor = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 8))
optimizer = torch.optim.SGD([*encoder.parameters(), *predictor.parameters()], lr=0.05)
for _ in range(16):
    x = torch.randn(32, 6)
    z1, z2 = encoder(x + 0.1 * torch.randn_like(x)), encoder(x + 0.1 * torch.randn_like(x))
    p1, p2 = predictor(z1), predictor(z2)
    similarity = (
        functional.cosine_similarity(p1, z2.detach()).mean() + functional.cosine_similarity(p2, z1.detach()).mean()
    )
    loss = -similarity / 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
