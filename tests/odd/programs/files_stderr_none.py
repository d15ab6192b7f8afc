"""sys.stderr and sys.stdout are None, as under pythonw."""

import sys

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 10)
sys.stdout.write(digest(model) + "\n")
sys.stdout.flush()
sys.stderr = sys.stdout = None
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 10)
