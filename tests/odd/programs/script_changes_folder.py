"""The working folder is changed, and removed under the program's feet."""

import os
import tempfile

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 5)
folder = tempfile.mkdtemp()
os.chdir(folder)
train(model, optimizer, 5)
os.rmdir(folder)
train(model, optimizer, 5)
print(digest(model))
