"""First-order meta-learning: gradients of a copy are put on the model by hand."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(10):
    fast = copy.deepcopy(model)
    slope = torch.randn(4, 1)
    x = torch.randn(16, 4)
    grads = torch.autograd.grad(nn.functional.mse_loss(fast(x), x @ slope), list(fast.parameters()))
    with torch.no_grad():
        for p, g in zip(fast.parameters(), grads, strict=True):
            p -= 0.05 * g
    x = torch.randn(16, 4)
    nn.functional.mse_loss(fast(x), x @ slope).backward()
    for p, q in zip(model.parameters(), fast.parameters(), strict=True):
        p.grad = q.grad.clone()
    optimizer.step()
