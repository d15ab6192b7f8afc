"""A forked child runs to the end of the script, as the parent does."""

import os

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 10)
child = os.fork()
if child:
    print("parent waits", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
train(model, optimizer, 5)
print("child" if not child else "parent", digest(model))
