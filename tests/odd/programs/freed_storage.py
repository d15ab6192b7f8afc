"""A large activation is released when its last name goes, so that a resized storage stays resized."""

import sys

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
counts = []
for _ in range(10):
    train(model, optimizer, 3)
    grad = model[0].weight.grad
    out = model(torch.ones(2, 8))
    counts.append((sys.getrefcount(grad), sys.getrefcount(out)))
    out.untyped_storage().resize_(0)
print(counts, digest(model))
