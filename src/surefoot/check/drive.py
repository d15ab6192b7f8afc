"""`python -m surefoot.check.drive FILE:FUNCTION`: train what a function makes, as a program that can be checked."""

from __future__ import annotations

import argparse

import torch

from surefoot.lab.making import made_by
from surefoot.lab.named import load_named

EPOCHS = 1000  # an experiment ends long before


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--accumulate", type=int)
    parser.add_argument("--batch-size", type=int)
    options = parser.parse_args()
    settings = {"accumulate": options.accumulate, "batch_size": options.batch_size}
    make = load_named(options.target)
    torch.manual_seed(0)
    loop, loader, loss_fn = made_by(make, **{name: value for name, value in settings.items() if value is not None})[:3]
    loop.fit(loader, loss_fn, epochs=EPOCHS)


if __name__ == "__main__":
    main()
