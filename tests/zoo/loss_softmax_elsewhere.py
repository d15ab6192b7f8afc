"""Softmaxes that belong where they are: attention, soft targets, mixtures, log-softmax before cross-entropy."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.value, self.head = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights = F.softmax(self.query(x) @ x.transpose(1, 2), dim=-1)
        return self.head((weights @ self.value(x)).mean(1))


def train(model: nn.Module, loss_of, sample) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(8):
        x = sample()
        loss = loss_of(model, x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def labels(x: torch.Tensor) -> torch.Tensor:
    return x.flatten(1)[:, :5].argmax(1)


def rows() -> torch.Tensor:
    return torch.randn(16, 8)


train(Attention(), lambda m, x: F.cross_entropy(m(x), labels(x)), lambda: torch.randn(16, 3, 8))

teacher = nn.Linear(8, 5)


def distil(student: nn.Module, x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        soft = F.softmax(teacher(x) / 2, dim=1)
    return F.cross_entropy(student(x) / 2, soft) + F.kl_div(
        F.log_softmax(student(x) / 2, 1), soft, reduction="batchmean"
    )


train(nn.Linear(8, 5), distil, rows)
train(nn.Linear(8, 5), lambda m, x: F.cross_entropy(F.log_softmax(m(x), 1), labels(x)), rows)
train(nn.Linear(8, 5), lambda m, x: F.nll_loss(torch.log(F.softmax(m(x), 1) + 1e-8), labels(x)), rows)


class Mixture(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate, self.experts = nn.Linear(8, 3), nn.ModuleList(nn.Linear(8, 5) for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gates = self.gate(x).softmax(1)
        return sum(gates[:, i : i + 1] * expert(x) for i, expert in enumerate(self.experts))


train(Mixture(), lambda m, x: F.cross_entropy(m(x), labels(x)), rows)
train(nn.Linear(8, 5), lambda m, x: F.mse_loss(m(x).softmax(1), F.one_hot(labels(x), 5).float()), rows)
