"""The program's own handlers for SIGTERM, SIGINT and SIGUSR1 are called, and found again."""

import os
import signal

import torch
from training import digest, make_net, train

torch.manual_seed(0)
seen = []
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
    signal.signal(number, lambda n, frame: seen.append(signal.Signals(n).name))
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
    train(model, optimizer, 5)
    os.kill(os.getpid(), number)
    train(model, optimizer, 5)
print(seen, digest(model))
