"""sys.stdout is closed at the end."""

import sys

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 10)
print(digest(model))
sys.stdout.close()
