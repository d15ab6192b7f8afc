"""The program watches the garbage collector, tunes it and freezes it."""

import gc

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
seen = []
gc.disable()
gc.callbacks.append(lambda phase, info: seen.append(phase))
train(model, optimizer, 30)
before = len(seen)
gc.collect()
gc.freeze()
train(model, optimizer, 10)
print(before, len(seen), gc.isenabled(), gc.get_threshold(), digest(model))
