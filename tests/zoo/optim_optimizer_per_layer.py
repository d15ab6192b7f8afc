"""One optimizer per layer, all stepped in each iteration."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))
optimizers = [torch.optim.Adam(layer.parameters(), lr=1e-2) for layer in model if isinstance(layer, nn.Linear)]
for _ in range(12):
    x = torch.randn(16, 8)
    model.zero_grad()
    nn.functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()
    for optimizer in optimizers:
        optimizer.step()
