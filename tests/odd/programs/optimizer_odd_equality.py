"""An optimizer that is equal to nothing and raises when it is asked."""

import torch
from training import digest, make_net, train

torch.manual_seed(0)


class Odd(torch.optim.SGD):
    def __eq__(self, other):
        raise RuntimeError("optimizers are not compared")

    def __hash__(self):
        raise RuntimeError("optimizers are not hashed")

    def __bool__(self):
        raise RuntimeError("optimizers are not true or false")

    def __len__(self):
        raise RuntimeError("optimizers have no length")

    def __repr__(self):
        raise RuntimeError("optimizers are not printed")


model = make_net()
train(model, Odd(model.parameters(), lr=0.1), 40)
print(digest(model))
