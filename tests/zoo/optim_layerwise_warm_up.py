"""The body's group starts at rate 0 and is raised later, the head trains from the start."""

import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Sequential(nn.Linear(8, 16), nn.ReLU()), nn.Linear(16, 3)
optimizer = torch.optim.SGD([{"params": body.parameters(), "lr": 0.0}, {"params": head.parameters()}], lr=0.05)
for step in range(24):
    if step == 16:
        optimizer.param_groups[0]["lr"] = 0.01
    x = torch.randn(16, 8)
    optimizer.zero_grad()
    nn.functional.cross_entropy(head(body(x)), x[:, :3].argmax(1)).backward()
    optimizer.step()
