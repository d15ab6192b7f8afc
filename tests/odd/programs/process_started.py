"""Processes that the program starts see nothing of us: their environment, arguments and descriptors are the same."""

# odd: own process
import os
import subprocess
import sys

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 10)
code = "import os, sys; print(sorted(os.environ) == sys.argv[1].split(), sorted(os.listdir('/proc/self/fd')))"
told = subprocess.run([sys.executable, "-c", code, " ".join(sorted(os.environ)), "x"], capture_output=True, text=True)
print(told.stdout, told.stderr, sys.executable.rsplit("/", 1)[-1], digest(model))
