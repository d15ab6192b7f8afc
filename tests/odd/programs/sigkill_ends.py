"""SIGKILL leaves no time for anything."""

# odd: no report
import os
import signal

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 5)
print(digest(model), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
