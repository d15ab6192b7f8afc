"""KeyboardInterrupt that nobody catches ends the program by SIGINT."""

import os
import signal

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 5)
print(digest(model), flush=True)
os.kill(os.getpid(), signal.SIGINT)
train(model, optimizer, 5)
print("never")
