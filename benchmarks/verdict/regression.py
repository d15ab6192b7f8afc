"""Tasks with real numbers as targets."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from benchmarks.verdict.task import Task, batches


def least_squares(batch: int, *, noise: float = 0.5, condition: float = 10.0) -> Task:
    """Linear; the larger the condition, the longer its slow directions take."""
    x = torch.randn(2000, 20) * torch.logspace(0, -torch.tensor(condition).log10().item() / 2, 20)
    y = x @ (3 * torch.randn(20)) + noise * torch.randn(2000)
    model = nn.Linear(20, 1)
    return Task(model, batches(lambda a, b: F.mse_loss(model(a)[:, 0], b), batch, x, y))


def waves(batch: int, *, frequency: float = 3.0, noise: float = 0.1) -> Task:
    x = 2 * torch.rand(1000, 1) - 1
    y = torch.sin(2 * torch.pi * frequency * x) + noise * torch.randn(1000, 1)
    model = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    return Task(model, batches(lambda a, b: F.mse_loss(model(a), b), batch, x, y))


def outliers(batch: int, *, robust: bool = False) -> Task:
    """Targets with heavy tails: single losses are a hundred times the others."""
    x = torch.randn(3000, 10)
    tails = torch.distributions.StudentT(2.0).sample((3000,))
    y = (x[:, 0] * x[:, 1]).tanh() + x[:, 2] + 0.3 * tails
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
    measure = F.smooth_l1_loss if robust else F.mse_loss
    return Task(model, batches(lambda a, b: measure(model(a)[:, 0], b), batch, x, y))


def deep_linear(batch: int) -> Task:
    """From small weights: one direction after the other is learned, with a rest before each."""
    x = torch.randn(1000, 10)
    y = x @ (torch.linalg.qr(torch.randn(10, 10))[0] * torch.tensor([4.0, 2.0, 1.0, 0.5, *[0.0] * 6]))
    layers = [nn.Linear(10, 10, bias=False) for _ in range(3)]
    for layer in layers:
        nn.init.normal_(layer.weight, std=0.05)
    model = nn.Sequential(*layers)
    return Task(model, batches(lambda a, b: F.mse_loss(model(a), b), batch, x, y))


def factors(batch: int, *, rank: int = 4) -> Task:
    """A matrix of which some entries are known, as a product of two narrow ones."""
    rows, columns = torch.randint(100, (4000,)), torch.randint(80, (4000,))
    y = (torch.randn(100, 6)[rows] * torch.randn(80, 6)[columns]).sum(1)
    left, right = nn.Embedding(100, rank), nn.Embedding(80, rank)
    model = nn.ModuleList([left, right])
    return Task(
        model, batches(lambda i, j, b: F.mse_loss((left(i) * right(j)).sum(1), b), batch, rows, columns, y)
    )  # fmt: skip


def diffusion(batch: int) -> Task:
    """Points on a ring; the noise that was added is to be told."""
    angle = 2 * torch.pi * torch.rand(3000)
    x = torch.stack([angle.cos(), angle.sin()], 1)
    model = nn.Sequential(nn.Linear(3, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 2))

    def loss(a: Tensor) -> Tensor:
        t = torch.rand(len(a), 1)
        noise = torch.randn_like(a)
        seen = (1 - t).sqrt() * a + t.sqrt() * noise
        return F.mse_loss(model(torch.cat([seen, t], 1)), noise)

    return Task(model, batches(loss, batch, x))


def density(batch: int) -> Task:
    """The log-likelihood of a mixture: a loss that may be below 0."""
    x = 0.1 * torch.randn(3000, 2) + torch.randn(5, 2)[torch.randint(5, (3000,))]
    model = nn.ParameterList([torch.randn(5, 2), torch.zeros(5, 2), torch.zeros(5)])

    def loss(a: Tensor) -> Tensor:
        each = torch.distributions.Normal(model[0], model[1].exp()).log_prob(a[:, None]).sum(2)
        return -(each + model[2].log_softmax(0)).logsumexp(1).mean()

    return Task(model, batches(loss, batch, x))


def counts(batch: int) -> Task:
    """Poisson regression, whose loss leaves a constant out and may be below 0."""
    x = torch.randn(3000, 6)
    y = torch.poisson((x @ torch.full((6,), 0.4)).exp())
    model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
    return Task(model, batches(lambda a, b: F.poisson_nll_loss(model(a)[:, 0], b), batch, x, y))
