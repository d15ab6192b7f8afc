"""A daemon thread trains on while Python ends, until the last exit function stops it."""

import atexit
import threading

import torch
from training import make_net, train

begun, stop = threading.Event(), threading.Event()


def work():
    model = make_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    while not stop.is_set():
        train(model, optimizer, 1)
        begun.set()


def end():
    stop.set()
    thread.join()
    print("thread ended")


torch.manual_seed(0)
atexit.register(end)
thread = threading.Thread(target=work, daemon=True)
thread.start()
begun.wait()
print("main ends")
