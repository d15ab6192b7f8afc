"""Sigmoids and ReLUs upstream of the logits, and ReLU with pooling between it and the loss, as in SqueezeNet."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)


class Gated(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate, self.value, self.head = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(torch.sigmoid(self.gate(x)) * self.value(x)).squeeze(1)


def train(model: nn.Module, loss_of, *shape: int) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(8):
        x = torch.randn(16, *shape)
        loss = loss_of(model(x), x.flatten(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(Gated(), lambda out, x: F.binary_cross_entropy_with_logits(out, (x[:, 0] > 0).float()), 8)
train(
    nn.Sequential(nn.Linear(8, 1), nn.Sigmoid()),
    lambda out, x: F.binary_cross_entropy(out, (x[:, :1] > 0).float()),
    8,
)
train(
    nn.Sequential(nn.Conv2d(2, 5, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()),
    lambda out, x: F.cross_entropy(out, x[:, :5].argmax(1)),
    2,
    6,
    6,
)
train(
    nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 5)),
    lambda out, x: F.cross_entropy(out.clamp(-10, 10), x[:, :5].argmax(1)),
    8,
)
