"""A thread that is no daemon trains on after the main module's last line."""

import threading
import time

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()


def work():
    time.sleep(0.05)
    train(model, torch.optim.SGD(model.parameters(), lr=0.1), 20)
    print("thread", digest(model))


threading.Thread(target=work).start()
print("main ends")
