"""Modules of torch are reloaded, imported under other names, and their classes used side by side."""

import importlib
import sys

import torch
import torch.nn.utils.clip_grad as clip
import torch.optim.sgd
from training import digest, make_batch, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 5)
sgd = importlib.reload(sys.modules["torch.optim.sgd"])
again = importlib.reload(clip)
other = sgd.SGD(model.parameters(), lr=0.1)
x, y = make_batch()
for _ in range(5):
    other.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    again.clip_grad_norm_(model.parameters(), 10.0)
    other.step()
print(sgd.SGD is torch.optim.SGD, again is clip, digest(model))
