"""A function that makes a training, for the tools of the lab: `surefoot lr-find examples/tune_digits.py:make_loop`."""

import torch
from sklearn.datasets import load_digits
from torch import nn

import surefoot as sf


def make_loop(optimizer="SGD", lr=0.1, batch_size=64):
    digits = load_digits()
    x, y = torch.tensor(digits.data / 16, dtype=torch.float32), torch.tensor(digits.target)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    loop = sf.Loop(model, getattr(torch.optim, optimizer)(model.parameters(), lr=lr), progress=False)
    loader = sf.TensorBatches(x[:1500], y[:1500], batch_size=batch_size, shuffle=True)
    held_out = sf.TensorBatches(x[1500:], y[1500:], batch_size=297)
    return loop, loader, nn.functional.cross_entropy, held_out
