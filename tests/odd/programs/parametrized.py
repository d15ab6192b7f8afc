"""Spectral norm, weight norm, orthogonal weights and a parametrization that counts its calls."""

import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize
from training import digest, train


class Counted(nn.Module):
    num = 0

    def forward(self, x):
        Counted.num += 1
        return x.triu()


torch.manual_seed(0)
first = parametrizations.spectral_norm(nn.Linear(8, 8))
second = parametrizations.weight_norm(nn.Linear(8, 8))
third, fourth = parametrizations.orthogonal(nn.Linear(8, 8)), nn.Linear(8, 8, bias=False)
parametrize.register_parametrization(fourth, "weight", Counted())
model = nn.Sequential(first, nn.Tanh(), second, third, fourth, nn.Linear(8, 3))
train(model, torch.optim.SGD(model.parameters(), lr=0.05), 20)
with parametrize.cached():
    train(model, torch.optim.SGD(model.parameters(), lr=0.05), 1)
print(Counted.num, digest(model))
