"""Losses of detached predictions that have their use: weights, baselines, probes, codebooks, phases, logs."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812


def train(model, loss_of, extra=(), steps=16):
    optimizer = torch.optim.SGD([*model.parameters(), *extra], lr=0.02)
    for step in range(steps):
        x = torch.randn(16, 6)
        optimizer.zero_grad()
        loss_of(step, x, x[:, :2]).backward()
        optimizer.step()


torch.manual_seed(0)
model, probe = nn.Linear(6, 2), nn.Linear(2, 2)
codes, weight = nn.Parameter(torch.randn(8, 2)), nn.Parameter(torch.zeros(()))


def hard_samples_count_more(step, x, y):
    errors = F.mse_loss(model(x), y, reduction="none").mean(1)
    hardness = F.mse_loss(model(x).detach(), y, reduction="none").mean(1)
    return (hardness / hardness.sum() * errors).sum()


def with_a_baseline(step, x, y):
    return F.mse_loss(model(x), y) - F.mse_loss(model(x).detach(), y)


def probed(step, x, y):
    out = model(x)
    return F.mse_loss(out, y) + F.mse_loss(probe(out.detach()), y)


def quantised(step, x, y):
    z = model(x)
    nearest = codes[torch.cdist(z.detach(), codes.detach()).argmin(1)]
    return F.mse_loss(nearest, z.detach()) + 0.25 * F.mse_loss(z, nearest.detach()) + F.mse_loss(z, y)


def weighted_by_a_learned_number(step, x, y):
    return F.mse_loss(model(x), y) + weight.exp() * F.mse_loss(model(x).detach(), y) - weight


def joins_later(step, x, y):
    out = model(x)
    aux = model(x + 1)
    if step < 12:
        aux = aux.detach()
    return F.mse_loss(out, y) + 0.1 * F.mse_loss(aux, y)


def result_is_only_logged(step, x, y):
    return F.mse_loss(model(x), y) + 0.1 * F.l1_loss(model(x), y).detach()


train(model, hard_samples_count_more)
train(model, with_a_baseline)
train(model, probed, probe.parameters())
train(model, quantised, [codes])
train(model, weighted_by_a_learned_number, [weight])
train(model, joins_later)
train(model, result_is_only_logged)
