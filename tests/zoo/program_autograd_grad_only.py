"""A loop by autograd.grad: gradients are written into .grad by hand, or applied by hand."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
params = list(model.parameters())
optimizer = torch.optim.SGD(params, lr=0.05)
for step in range(20):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    grads = torch.autograd.grad(loss, params)
    for p, g in zip(params, grads):
        p.grad = g
    optimizer.step()
for step in range(10):
    x = torch.randn(16, 4)
    grads = torch.autograd.grad(nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)), params)
    with torch.no_grad():
        for p, g in zip(params, grads):
            p -= 0.05 * g
