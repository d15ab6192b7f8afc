"""A loss backwarded alone, and again in a sum, whose gradients are cleared between or go to other parameters."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
trunk, head, aside = nn.Linear(6, 8), nn.Linear(8, 3), nn.Linear(8, 1)
model = nn.ModuleList([trunk, head, aside])
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
W = torch.randn(6, 3)
norms = []

for step in range(12):
    x = torch.randn(16, 6)
    h = trunk(x).relu()
    classes, size = F.cross_entropy(head(h), (x @ W).argmax(1)), F.mse_loss(aside(h), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    if step % 3 == 0:  # how long is the gradient of the first alone?
        classes.backward(retain_graph=True)
        norms.append(torch.stack([p.grad.norm() for p in trunk.parameters()]).norm())
        optimizer.zero_grad()
        (classes + 0.1 * size).backward()
    elif step % 3 == 1:  # the trunk learns from one, the heads from both
        classes.backward(retain_graph=True, inputs=list(trunk.parameters()))
        (classes + size).backward(inputs=[*head.parameters(), *aside.parameters()])
    else:
        classes.backward(retain_graph=True)
        print((classes.detach() + size.detach()).item())
        size.backward()
    optimizer.step()
