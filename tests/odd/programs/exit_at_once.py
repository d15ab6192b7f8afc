"""os._exit ends the process without exit functions."""

# odd: no report
import atexit
import os

import torch
from training import digest, make_net, train

torch.manual_seed(0)
atexit.register(print, "never")
model = make_net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 10)
print(digest(model), flush=True)
os._exit(7)
