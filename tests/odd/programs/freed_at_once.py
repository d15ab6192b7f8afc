"""Losses, outputs and gradients die as soon as the program lets them go."""

import gc
import weakref

import torch
from torch.nn import functional
from training import digest, make_batch, make_net

torch.manual_seed(0)
gc.disable()
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
alive = []
for _ in range(40):
    x, y = make_batch()
    out = model(x)
    loss = functional.cross_entropy(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    known = [weakref.ref(thing) for thing in (x, y, out, loss, model[0].weight.grad)]
    del x, y, out, loss
    model.zero_grad()
    alive.append(sum(ref() is not None for ref in known))
print(alive, digest(model))
