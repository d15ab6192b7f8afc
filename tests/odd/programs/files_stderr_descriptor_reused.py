"""Descriptor 2 is closed and given to a file of the program: no line of ours lands in it."""

import os

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
os.close(2)
mine = os.open("mine.txt", os.O_CREAT | os.O_RDWR)
assert mine == 2
os.write(mine, b"mine\n")
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 20)
print(open("mine.txt").read(), digest(model))
