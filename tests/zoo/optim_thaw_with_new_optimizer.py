"""First the head, then everything with a new optimizer; last the head again with a third."""

import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Sequential(nn.Linear(8, 16), nn.ReLU()), nn.Linear(16, 3)


def train(optimizer: torch.optim.Optimizer, steps: int) -> None:
    for _ in range(steps):
        x = torch.randn(16, 8)
        optimizer.zero_grad()
        nn.functional.cross_entropy(head(body(x)), x[:, :3].argmax(1)).backward()
        optimizer.step()


body.requires_grad_(False)
train(torch.optim.Adam(head.parameters(), lr=1e-2), 8)
body.requires_grad_(True)
train(torch.optim.Adam([*body.parameters(), *head.parameters()], lr=1e-3), 8)
train(torch.optim.Adam(head.parameters(), lr=1e-3), 8)
