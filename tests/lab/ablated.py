"""Trainings that the tests compare; importable, as other processes need them."""

import os
import time
from typing import Any

import torch
from torch import nn
from torch.nn.functional import mse_loss
from torch.utils.data import DataLoader, TensorDataset

import surefoot as sf


def make_loop(lr: float = 0.1, dropout: float = 0.0, batch_size: int = 8) -> tuple[Any, ...]:
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(dropout), nn.Linear(8, 1))
    x = torch.randn(64, 4, generator=torch.Generator().manual_seed(0))
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=batch_size, shuffle=True)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=lr), watch=False, progress=False)
    return loop, loader, mse_loss


def make_with_held_out(lr: float = 0.1) -> tuple[Any, ...]:
    loop, loader, loss_fn = make_loop(lr)
    return loop, loader, loss_fn, list(loader)


def make_broken(lr: float) -> tuple[Any, ...]:
    raise ArithmeticError("no such rate")


def make_dying(lr: float) -> tuple[Any, ...]:
    if lr > 1:
        os._exit(7)
    return make_loop(lr)


def make_slow(lr: float) -> tuple[Any, ...]:
    loop, loader, loss_fn = make_loop(lr)

    def slow(outputs: Any, targets: Any) -> torch.Tensor:
        time.sleep(0.5)
        return loss_fn(outputs, targets)

    return loop, loader, slow
