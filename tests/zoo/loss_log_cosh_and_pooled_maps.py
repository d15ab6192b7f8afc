"""Log-cosh in several spellings and maps of size one, with shapes that fit; pairs of scores that are ranked."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
N = 16


def train(model: nn.Module, shape: tuple[int, ...], loss_of) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(6):
        x = torch.randn(shape)
        loss = loss_of(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def log_cosh(d: torch.Tensor) -> torch.Tensor:
    return (d + F.softplus(-2 * d) - 0.6931).mean()


one = nn.Linear(4, 1)
train(one, (N, 4), lambda out, x: log_cosh(out - x.sum(1, keepdim=True)))
train(one, (N, 4), lambda out, x: torch.log(torch.cosh(out.squeeze(1) - x.sum(1) + 1e-12)).mean())
train(one, (N, 4), lambda out, x: torch.log1p((out.squeeze(1) - x.sum(1)) ** 2).mean())
train(one, (N, 4), lambda out, x: F.softplus(out.detach().squeeze(1) - out).mean())  # RankNet over all pairs
pooled = nn.Sequential(nn.Conv2d(1, 3, 3), nn.AdaptiveAvgPool2d(1))
train(pooled, (N, 1, 8, 8), lambda out, x: F.mse_loss(out, x.mean((1, 2, 3)).view(N, 1, 1, 1).expand(N, 3, 1, 1)))
train(pooled, (N, 1, 8, 8), lambda out, x: ((out - x[:, :1, :3, :3]) ** 2).mean())  # a map against its mean
