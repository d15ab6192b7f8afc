"""BYOL in one module: the target runs without gradients and follows by an average, held by the optimizer too."""

import copy

import torch
from torch import nn
from torch.nn import functional


class Byol(nn.Module):
    def __init__(self):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 8))
        self.predictor = nn.Linear(8, 8)
        self.target = copy.deepcopy(self.online)

    def forward(self, a, b):
        with torch.no_grad():
            target = self.target(b)
        return 2 - 2 * functional.cosine_similarity(self.predictor(self.online(a)), target).mean()

    @torch.no_grad()
    def follow(self, rate=0.9):
        for mine, theirs in zip(self.target.parameters(), self.online.parameters(), strict=True):
            mine.data.mul_(rate).add_(theirs.data, alpha=1 - rate)


torch.manual_seed(0)
model = Byol()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(16):
    x = torch.randn(16, 6)
    loss = model(x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.follow()
