"""Uninitialised parameters are given to an optimizer before their first forward."""

import torch
from torch import nn
from training import digest, train

torch.manual_seed(0)
model = nn.Sequential(nn.LazyLinear(16), nn.ReLU(), nn.LazyLinear(3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 20)
print(digest(model))
