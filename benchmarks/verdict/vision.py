"""Tasks on points and small images, made up from a seed."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from benchmarks.verdict.task import Task, batches

NUM_CLASSES = 10


def blobs(batch: int, *, apart: float = 1.0, hidden: int = 32) -> Task:
    """Classes that overlap: their loss can't reach 0."""
    y = torch.randint(NUM_CLASSES, (4000,))
    x = apart * torch.randn(NUM_CLASSES, 8)[y] + torch.randn(4000, 8)
    model = nn.Sequential(nn.Linear(8, hidden), nn.ReLU(), nn.Linear(hidden, NUM_CLASSES))
    return Task(model, batches(lambda a, b: F.cross_entropy(model(a), b), batch, x, y))


def separable(batch: int) -> Task:
    """A linear model that can separate everything: its loss falls for ever, ever more slowly."""
    x = torch.randn(1000, 20)
    y = (x @ torch.randn(20) > 0).float()
    model = nn.Linear(20, 1)
    return Task(model, batches(lambda a, b: F.binary_cross_entropy_with_logits(model(a)[:, 0], b), batch, x, y))


def spirals(batch: int, *, turns: float = 1.5) -> Task:
    """Two arms around each other: little is learned for a while, then much."""
    t, y = torch.rand(2000).sqrt(), torch.randint(2, (2000,))
    angle = 2 * math.pi * turns * t + math.pi * y
    x = torch.stack([t * angle.cos(), t * angle.sin()], 1) + 0.02 * torch.randn(2000, 2)
    model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))
    return Task(model, batches(lambda a, b: F.cross_entropy(model(a), b), batch, x, y))


def glyphs(num: int, noise: float) -> tuple[Tensor, Tensor]:
    """Images of 8 x 8 pixels: one of ten patterns, shifted and noisy."""
    y = torch.randint(NUM_CLASSES, (num,))
    patterns = (F.avg_pool2d(torch.randn(NUM_CLASSES, 1, 8, 8), 3, 1, 1) > 0).float()
    shift = torch.randint(-1, 2, (num, 2)).tolist()
    x = torch.stack([patterns[c].roll(s, (1, 2)) for c, s in zip(y.tolist(), shift, strict=True)])
    return x + noise * torch.randn_like(x), y


def images(batch: int, *, noise: float = 0.5, wrong: float = 0.0, dropout: float = 0.0, num: int = 1500) -> Task:
    """With wrong labels, if asked: those can only be learned by heart."""
    x, y = glyphs(num, noise)
    y = torch.where(torch.rand(num) < wrong, torch.randint(NUM_CLASSES, (num,)), y)
    conv = nn.Conv2d(1, 8, 3, padding=1)
    model = nn.Sequential(
        conv, nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(dropout), nn.Linear(128, 10)
    )
    return Task(model, batches(lambda a, b: F.cross_entropy(model(a), b), batch, x, y))


def autoencoder(batch: int, *, code: int = 8, noise: float = 0.0) -> Task:
    """With noise: it is asked to remove what was added."""
    x, _ = glyphs(1500, 0.2)
    x = x.flatten(1)
    model = nn.Sequential(
        nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, code), nn.Linear(code, 48), nn.ReLU(), nn.Linear(48, 64)
    )
    return Task(model, batches(lambda a: F.mse_loss(model(a + noise * torch.randn_like(a)), a), batch, x))


def variational(batch: int) -> Task:
    x, _ = glyphs(1500, 0.1)
    x = x.flatten(1)
    encoder, decoder = nn.Linear(64, 16), nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 64))

    def loss(a: Tensor) -> Tensor:
        mean, log_variance = encoder(a).chunk(2, 1)
        code = mean + torch.randn_like(mean) * (log_variance / 2).exp()
        divergence = 0.5 * (mean**2 + log_variance.exp() - 1 - log_variance).sum(1).mean()
        return 10 * F.mse_loss(decoder(code), a) + 0.1 * divergence

    return Task(nn.ModuleList([encoder, decoder]), batches(loss, batch, x))


def attributes(batch: int, *, unknown: float = 0.2) -> Task:
    """Several yes-or-no labels of each point, some of them wrong."""
    x = torch.randn(3000, 12)
    y = (x @ torch.randn(12, 6) + x[:, :6] * x[:, 6:] > 0).float()
    y = torch.where(torch.rand_like(y) < unknown, 1 - y, y)
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 6))
    return Task(model, batches(lambda a, b: F.binary_cross_entropy_with_logits(model(a), b), batch, x, y))
