"""The program has its own sys.excepthook, and raises a group of errors with causes and notes."""

import sys
import traceback

import torch
from training import digest, make_net, train


def hook(kind, error, trace):
    print(kind.__name__, [frame.name for frame in traceback.extract_tb(trace) if frame.filename == __file__])
    sys.__excepthook__(kind, error, trace)


sys.excepthook = hook
torch.manual_seed(0)
model = make_net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 5)
print(digest(model))


def fail():
    try:
        torch.ones(1).backward()
    except RuntimeError as error:
        error.add_note("with a note")
        raise ExceptionGroup("several", [error, ValueError("other")]) from KeyError("cause")


fail()
