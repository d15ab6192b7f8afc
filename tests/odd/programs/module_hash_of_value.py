"""Modules whose hash and equality are counted: nobody but the program asks for them."""

import torch
from torch import nn
from training import digest, train

torch.manual_seed(0)
asked = {"eq": 0, "hash": 0, "bool": 0, "len": 0}


class Net(nn.Linear):
    def __eq__(self, other):
        asked["eq"] += 1
        return self is other

    def __hash__(self):
        asked["hash"] += 1
        return 7

    def __bool__(self):
        asked["bool"] += 1
        return False

    def __len__(self):
        asked["len"] += 1
        return 0


first, second = Net(8, 3), Net(8, 3)
for model in (first, second):
    train(model, torch.optim.SGD(model.__dict__["_parameters"].values(), lr=0.1), 20)
print(asked, digest(first, second))
