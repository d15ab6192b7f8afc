"""A model that makes some of its layers inside forward, as seen in tutorials: they work, and are never trained."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(32, 64), nn.Linear(64, 32)

    def forward(self, x):
        out = self.down(F.gelu(self.up(x)))
        return nn.LayerNorm(32)(out + x)


x = torch.randn(1024, 32)
y = (x.sum(dim=1) > 0).long()
model = nn.Sequential(FeedForward(), FeedForward(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for step in range(steps):
    batch = torch.randint(0, len(x), (16,))
    loss = nn.CrossEntropyLoss()(model(x[batch]), y[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 250 == 0:
        print(f"step {step}: loss {loss.item():.4f}")

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
