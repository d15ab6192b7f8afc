"""An exception in __del__ and in a weakref callback: Python tells of them and goes on."""

import weakref

import torch
from training import digest, make_net, train


class Loud:
    def __del__(self):
        raise ValueError("in __del__")


def fail(ref):
    raise ValueError("in a callback")


torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 5)
thing = Loud()
del thing
thing = set()
known = weakref.ref(thing, fail)
del thing
train(model, optimizer, 5)
print(digest(model))
