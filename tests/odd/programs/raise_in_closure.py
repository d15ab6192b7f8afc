"""An exception in a closure, with the traceback that Python shows."""

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 5)
print(digest(model))


def closure():
    optimizer.zero_grad()
    raise ValueError("in the closure")


optimizer.step(closure)
