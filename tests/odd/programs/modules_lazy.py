"""Lazy modules get their shapes at the first call."""

import torch
from torch import nn
from training import digest, make_batch, train

torch.manual_seed(0)
model = nn.Sequential(nn.LazyLinear(16), nn.LazyBatchNorm1d(), nn.ReLU(), nn.LazyLinear(3))
model(make_batch()[0])
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 20)
print(type(model[0]).__name__, digest(model))
