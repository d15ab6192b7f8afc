"""An input is optimised against a trained model whose parameters get gradients and stay."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(8):
    x = torch.randn(16, 8)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()
    optimizer.step()
del optimizer
image = torch.randn(1, 8, requires_grad=True)
attack = torch.optim.Adam([image], lr=0.1)
for _ in range(8):
    attack.zero_grad()
    (-model(image)[:, 1]).sum().backward()
    attack.step()
