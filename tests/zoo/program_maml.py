"""MAML: inner updates by autograd.grad with create_graph, one outer backward over tasks."""

import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(8):
    optimizer.zero_grad()
    outer = 0.0
    for _ in range(3):
        phase = torch.rand(1) * 3
        xs, xq = torch.rand(8, 1) * 4 - 2, torch.rand(8, 1) * 4 - 2
        params = dict(model.named_parameters())
        loss = nn.functional.mse_loss(functional_call(model, params, xs), torch.sin(xs + phase))
        grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
        fast = {name: p - 0.05 * g for (name, p), g in zip(params.items(), grads)}
        outer = outer + nn.functional.mse_loss(functional_call(model, fast, xq), torch.sin(xq + phase))
    (outer / 3).backward()
    optimizer.step()
