"""torch.func: gradients by a transform, the step by an optimizer."""

import torch
from torch import nn
from torch.func import functional_call, grad_and_value

torch.manual_seed(0)
model = nn.Linear(4, 1)
params = {name: p.detach().clone().requires_grad_(True) for name, p in model.named_parameters()}
optimizer = torch.optim.Adam(params.values(), lr=1e-2)


def loss_of(params, x, y):
    return nn.functional.mse_loss(functional_call(model, params, x), y)


for _ in range(20):
    x = torch.randn(16, 4)
    grads, loss = grad_and_value(loss_of)(params, x, x.sum(1, keepdim=True))
    for name, p in params.items():
        p.grad = grads[name]
    optimizer.step()
