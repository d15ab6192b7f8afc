"""Train what a function makes, or let it train itself: a program that can be recorded."""

from __future__ import annotations

import sys

import torch

from surefoot.lab.making import made_by
from surefoot.lab.named import load_named

EPOCHS = 1000  # a recording ends long before


def main() -> None:
    make = load_named(sys.argv[-1])
    torch.manual_seed(0)
    made = make()
    if made is not None:
        loop, loader, loss_fn = made_by(lambda: made)[:3]
        loop.fit(loader, loss_fn, epochs=EPOCHS)
