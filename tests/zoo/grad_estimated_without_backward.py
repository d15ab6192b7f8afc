"""Evolution strategies: gradients are estimated from losses alone and written into .grad, step after step."""

import torch
from torch import nn

torch.manual_seed(0)
target = torch.tensor([1.0, -2.0])
weights = nn.Parameter(torch.zeros(2))
optimizer = torch.optim.SGD([weights], lr=0.05)
for step in range(200):
    with torch.no_grad():
        noise = torch.randn(32, 2)
        losses = (weights + 0.1 * noise - target).square().sum(1)
        estimate = ((losses - losses.mean())[:, None] * noise).mean(0) / 0.1
    weights.grad = estimate
    optimizer.step()
assert (weights - target).norm() < 0.2
