"""SIGTERM that nobody handles ends the program at once."""

import os
import signal

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 5)
print(digest(model), flush=True)
os.kill(os.getpid(), signal.SIGTERM)
train(model, optimizer, 500)
print("never")
