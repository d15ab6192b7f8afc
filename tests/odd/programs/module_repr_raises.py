"""A module without a printable form."""

import torch
from torch import nn
from training import digest, train

torch.manual_seed(0)


class Shy(nn.Linear):
    def __repr__(self):
        raise RuntimeError("no repr")

    def extra_repr(self):
        raise RuntimeError("no extra repr")

    def _get_name(self):
        raise RuntimeError("no name")


model = Shy(8, 3)
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 40)
print(digest(model))
