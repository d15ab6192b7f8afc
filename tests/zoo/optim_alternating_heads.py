"""Two tasks in turn over one trunk, each with an optimizer of its own over trunk and head."""

import torch
from torch import nn

torch.manual_seed(0)
trunk, heads = nn.Linear(8, 16), [nn.Linear(16, 3), nn.Linear(16, 3)]
optimizers = [torch.optim.Adam([*trunk.parameters(), *head.parameters()], lr=1e-2) for head in heads]
for step in range(16):
    x = torch.randn(16, 8)
    head, optimizer = heads[step % 2], optimizers[step % 2]
    optimizer.zero_grad()
    nn.functional.cross_entropy(head(trunk(x).relu()), x[:, :3].argmax(1)).backward()
    optimizer.step()
