"""The program forks; parent and child both train on, and the child leaves by os._exit."""

import os

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 10)
child = os.fork()
if not child:
    train(model, optimizer, 5)
    print("child", digest(model), flush=True)
    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
train(model, optimizer, 10)
print(digest(model))
