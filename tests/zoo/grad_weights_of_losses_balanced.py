"""GradNorm: the weights of two losses get gradients of their own, in place of those that the backward left."""

import torch
from torch import nn

torch.manual_seed(0)
trunk, heads = nn.Linear(6, 12), nn.ModuleList([nn.Linear(12, 1), nn.Linear(12, 1)])
weights = nn.Parameter(torch.ones(2))
optimizer = torch.optim.Adam([*trunk.parameters(), *heads.parameters()], lr=1e-2)
of_weights = torch.optim.SGD([weights], lr=1e-2)
for _ in range(60):
    x = torch.randn(32, 6)
    hidden = torch.tanh(trunk(x))
    targets = (x.sum(1, keepdim=True), 5 * x[:, :1])
    losses = torch.stack([(head(hidden) - y).square().mean() for head, y in zip(heads, targets, strict=True)])
    optimizer.zero_grad()
    (weights * losses).sum().backward(retain_graph=True)
    weights.grad = None
    norms = torch.stack(
        [torch.autograd.grad(w * loss, trunk.weight, retain_graph=True, create_graph=True)[0].norm()
         for w, loss in zip(weights, losses, strict=True)]
    )  # fmt: skip
    imbalance = (norms - norms.mean().detach()).abs().sum()
    weights.grad = torch.autograd.grad(imbalance, weights)[0]
    optimizer.step()
    of_weights.step()
    with torch.no_grad():
        weights.mul_(2 / weights.sum())
