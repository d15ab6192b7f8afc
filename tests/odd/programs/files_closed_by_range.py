"""Closes all descriptors it did not open, as daemons do, then opens its own: nobody else writes there."""

import os

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 100)
os.closerange(3, 256)
files = [open(f"mine{i}.bin", "w+b", buffering=0) for i in range(16)]
for file in files:
    file.write(b"MINE" * 256)
train(model, optimizer, 300)
for i, file in enumerate(files):
    file.seek(0)
    if file.read() != b"MINE" * 256:
        print("file", i, "was changed")
print(digest(model))
