"""Losses with addends that have no gradient, and need none."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
teacher = nn.Linear(8, 4)


def surrogate(model, x):
    """The value of one loss with the gradient of another."""
    smooth = model(x).square().mean()
    return smooth + (model(x).abs().mean() - smooth).detach()


def dequantised(model, x):
    """A term of the data belongs to the likelihood that is reported."""
    return F.mse_loss(model(x), x[:, :4]) + x.abs().log1p().mean()


def log_sum_exp(model, x):
    scores = model(x)[0]
    with torch.no_grad():
        highest = scores.max()
    return highest + (scores - highest).exp().sum().log() - scores[1]


def against_a_teacher(model, x):
    with torch.no_grad():
        reached = F.mse_loss(teacher(x), x[:, :4])
    return F.mse_loss(model(x), x[:, :4]) + reached


def above_a_baseline(model, x):
    with torch.no_grad():
        baseline = model(-x).square().mean()
    return model(x).square().mean() - baseline


for compute in (surrogate, dequantised, log_sum_exp, against_a_teacher, above_a_baseline):
    net = nn.Linear(8, 4)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(14):
        loss = compute(net, torch.randn(16, 8))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
