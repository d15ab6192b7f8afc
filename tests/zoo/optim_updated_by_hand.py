"""One part is updated by an optimizer, the other by plain arithmetic."""

import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(8, 16), nn.Linear(16, 3)
optimizer = torch.optim.Adam(body.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(16, 8)
    loss = nn.functional.cross_entropy(head(body(x).relu()), x[:, :3].argmax(1))
    optimizer.zero_grad()
    head.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for p in head.parameters():
            p -= 0.05 * p.grad
