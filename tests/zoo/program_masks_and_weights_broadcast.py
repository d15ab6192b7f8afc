"""Element-wise losses where masks, weights and constants broadcast on purpose."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
weight = torch.tensor([1.0, 2.0, 0.5, 1.0])
for _ in range(20):
    x = torch.randn(16, 6)
    out, target = model(x), x[:, :4].sin()
    mask = (torch.rand(16, 1) > 0.2).float()
    loss = (weight * mask * (out - target) ** 2).sum() / (mask.sum() * 4)
    loss = loss + 0.1 * F.mse_loss(out.mean(), torch.tensor(0.0)) + 0.01 * (out - 0.5).pow(2).mean()
    loss = loss + 0.1 * (F.l1_loss(out, target, reduction="none") * mask).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
