"""Copies that follow a model together with its batch-norm statistics, or need none of them."""

import copy

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn, update_bn

torch.manual_seed(0)


def net(norm=nn.BatchNorm1d):
    return nn.Sequential(nn.Linear(4, 8), norm(8), nn.ReLU(), nn.Linear(8, 1))


def train(model, follow, steps=24):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(steps):
        x = torch.randn(16, 4) + 1
        loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        follow(model)


@torch.no_grad()
def evaluate(model):
    model.eval()
    x = torch.randn(16, 4) + 1
    return F.mse_loss(model(x), x.sum(1, keepdim=True)).item()


@torch.no_grad()
def average(mean, model):
    for mine, param in zip(mean.parameters(), model.parameters(), strict=True):
        mine.lerp_(param, 0.1)


# The whole state dict is averaged.
model = net()
mean = copy.deepcopy(model)


@torch.no_grad()
def average_all(model):
    own = mean.state_dict()
    for name, value in model.state_dict().items():
        own[name].copy_(own[name].lerp(value, 0.1) if value.is_floating_point() else value)


train(model, average_all)
evaluate(mean)

# Torch's own average, and one whose statistics are taken anew.
model = net()
mean = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
train(model, lambda model: mean.update_parameters(model))
evaluate(mean)

model = net()
mean = copy.deepcopy(model)
train(model, lambda model: average(mean, model))
update_bn([torch.randn(16, 4) + 1 for _ in range(8)], mean)
evaluate(mean)

# A model without batch-norm, and one whose batch-norm is frozen.
model = net(nn.LayerNorm)
mean = copy.deepcopy(model)
train(model, lambda model: average(mean, model))
evaluate(mean)

model = net()
model[1].eval()
model[1].requires_grad_(False)
mean = copy.deepcopy(model)
train(model, lambda model: average(mean, model))
evaluate(mean)
