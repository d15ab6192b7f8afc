"""Low-rank adapters on a frozen encoder: only the adapters and the head are trained."""

import math
import sys

import torch
import torch.nn.functional as F
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)


class LoRALinear(nn.Module):
    def __init__(self, base, rank=4, alpha=8):
        super().__init__()
        self.base = base
        self.a = nn.Parameter(torch.empty(rank, base.in_features))
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank
        nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))

    def forward(self, x):
        return self.base(x) + F.linear(F.linear(x, self.a), self.b) * self.scale


def add_adapters(module):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, LoRALinear(child))
        else:
            add_adapters(child)


class FeedForward(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


encoder = nn.Sequential(*[FeedForward(128) for _ in range(6)]).requires_grad_(False)
add_adapters(encoder)
head = nn.Linear(128, 4)
trained = [p for p in [*encoder.parameters(), *head.parameters()] if p.requires_grad]
optimizer = torch.optim.AdamW(trained, lr=2e-3)

x = torch.randn(2048, 8, 128)
y = x.mean(dim=1)[:, :4].argmax(dim=1)
for step in range(steps):
    batch = torch.randint(0, len(x), (16,))
    loss = F.cross_entropy(head(encoder(x[batch]).mean(dim=1)), y[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step}: loss {loss.item():.4f}")

print("weights", sum(p.detach().double().abs().sum() for p in trained).item())
