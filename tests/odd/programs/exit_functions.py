"""Exit functions train, print, and one of them raises."""

import atexit

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


@atexit.register
def last():
    print("last", digest(model))


@atexit.register
def fail():
    raise ValueError("at exit")


@atexit.register
def more():
    train(model, optimizer, 5)
    print("more", digest(model))


train(model, optimizer, 5)
print(digest(model))
