"""Losses that rightly start high: margins with a large scale, raw features, class weights, loaded weights."""

import math

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)


class ArcFace(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.weight = nn.Linear(8, 6), nn.Parameter(torch.randn(5, 6))

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        cosine = F.normalize(self.body(x), dim=1) @ F.normalize(self.weight, dim=1).t()
        angle = torch.acos(cosine.clamp(-0.999, 0.999))
        return 64 * torch.cos(angle + 0.5 * F.one_hot(y, 5))


model = ArcFace()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for _ in range(8):
    x = torch.randn(16, 8)
    y = x[:, :5].argmax(1)
    optimizer.zero_grad()
    F.cross_entropy(model(x, y), y).backward()
    optimizer.step()

raw = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
second = torch.optim.Adam(raw.parameters(), lr=1e-3)
for _ in range(8):
    x = torch.randint(0, 17, (32, 64)).float()
    second.zero_grad()
    F.cross_entropy(raw(x), x[:, :10].argmax(1)).backward()
    second.step()
assert math.log(10) > 2
