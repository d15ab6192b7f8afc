"""A fast timer whose handler trains a second model a little: our code may be interrupted anywhere."""

import signal

import torch
from training import digest, make_net, train

torch.manual_seed(0)
num = 0


def on_alarm(*_):
    global num
    num += 1


signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
model = make_net()
train(model, torch.optim.Adam(model.parameters()), 150)
signal.setitimer(signal.ITIMER_REAL, 0)
print(num > 5, digest(model))
