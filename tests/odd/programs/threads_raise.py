"""An exception ends a thread; Python shows it and goes on."""

import threading

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def fail():
    train(model, optimizer, 2)
    raise ValueError("in a thread")


thread = threading.Thread(target=fail, name="failing")
thread.start()
thread.join()
train(model, optimizer, 5)
print(digest(model))
