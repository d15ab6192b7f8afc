"""A mixture of experts of which only some run in each step."""

import torch
from torch import nn

torch.manual_seed(0)
experts = nn.ModuleList(nn.Linear(8, 3) for _ in range(4))
gate = nn.Linear(8, 4)
optimizer = torch.optim.Adam([*experts.parameters(), *gate.parameters()], lr=1e-2)
for step in range(16):
    x = torch.randn(16, 8)
    chosen = step % 3  # the last expert never runs
    out = experts[chosen](x) * gate(x).softmax(1)[:, chosen : chosen + 1]
    optimizer.zero_grad()
    nn.functional.cross_entropy(out, x[:, :3].argmax(1)).backward()
    optimizer.step()
