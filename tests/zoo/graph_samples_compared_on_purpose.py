"""Models whose predictions depend on other samples by design."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
BATCH, TIME = 12, 5


class Model(nn.Module):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self.first, self.head, self.kind = nn.Linear(6, 8), nn.Linear(8, 3), kind
        self.norm, self.attention = nn.BatchNorm1d(8), nn.MultiheadAttention(8, 2)

    def mixed(self, h: torch.Tensor) -> torch.Tensor:
        if self.kind == "neighbours":
            return torch.rand(BATCH, BATCH).softmax(1) @ h
        if self.kind == "mix-up":
            return 0.7 * h + 0.3 * h[torch.randperm(BATCH)]
        if self.kind == "attention":
            return h + self.attention(h, h, h)[0]
        return self.norm(h) if self.kind == "batch-norm" else h - h.mean(0)

    def forward(self) -> torch.Tensor:
        return self.head(self.mixed(self.first(torch.randn(BATCH, 6))))


def train(model: nn.Module, steps: int = 6) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(steps):
        y = torch.randint(0, 3, (BATCH,))
        loss = F.cross_entropy(model(), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


for kind in ("neighbours", "mix-up", "attention", "batch-norm", "mean"):
    train(Model(kind))
