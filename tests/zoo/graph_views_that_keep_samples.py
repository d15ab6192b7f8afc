"""Views of all kinds around a batch, the last pair of which undo each other."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
BATCH, TIME = 12, 5


class Model(nn.Module):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self.first, self.head, self.kind = nn.Linear(6, 8), nn.Linear(8, 3), kind

    def viewed(self, h: torch.Tensor) -> torch.Tensor:
        if self.kind == "flat":
            return h.view(BATCH * TIME, 8).relu().view(BATCH, TIME, 8)
        if self.kind == "heads":
            return h.view(BATCH, TIME, 2, 4).transpose(1, 2).reshape(BATCH * 2, TIME, 4).tanh().view(BATCH, -1, 8)
        if self.kind == "turned":
            return h.transpose(0, 1).reshape(TIME * BATCH, 8).relu().view(TIME, BATCH, 8).transpose(0, 1)
        return h.view(TIME, BATCH, 8).relu().view(BATCH, TIME, 8)

    def forward(self) -> torch.Tensor:
        return self.head(self.viewed(self.first(torch.randn(BATCH, TIME, 6))).mean(1))


def train(model: nn.Module, steps: int = 6) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(steps):
        y = torch.randint(0, 3, (BATCH,))
        loss = F.cross_entropy(model(), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


for kind in ("flat", "heads", "turned", "there and back"):
    train(Model(kind))
