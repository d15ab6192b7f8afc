"""No random number is drawn but the program's: Python's, numpy's, torch's, and a generator of its own."""

import random

import numpy
import torch
from torch.utils.data import DataLoader, TensorDataset
from training import digest, make_net, random_state, train

random.seed(1)
numpy.random.seed(1)
torch.manual_seed(1)
own = torch.Generator().manual_seed(2)
model = torch.nn.Sequential(make_net(), torch.nn.Dropout(0.1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
states = []
for _ in range(4):
    train(model, optimizer, 10)
    for _ in DataLoader(TensorDataset(torch.arange(12)), batch_size=4, shuffle=True, generator=own):
        pass
    states.append((random.random(), float(numpy.random.rand()), random_state(), digest(own.get_state())))
print(states, digest(model))
