"""Ask a model what it answers to other inputs, outside of the program's own run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from surefoot.check.calls import ModelCall
from surefoot.check.tensors import Path, leaves, replaced

SEED = 7


@contextmanager
def in_mode(module: nn.Module, *, training: bool) -> Iterator[None]:
    """All of it, whatever its parts were set to; they are set back."""
    before = {one: one.training for one in module.modules()}
    try:
        for one in before:
            one.training = training
        yield
    finally:
        for one, was in before.items():
            one.training = was


@contextmanager
def unseen_random(seed: int) -> Iterator[None]:
    """The program's random numbers go on as if nothing had been drawn."""
    state = torch.get_rng_state()
    try:
        torch.default_generator.manual_seed(seed)
        yield
    finally:
        torch.set_rng_state(state)


def answer(call: ModelCall, changes: Mapping[Path, Tensor] | None = None, *, seed: int = SEED) -> dict[Path, Tensor]:
    """The floating-point tensors that the model returns, in the mode it is in."""
    args, kwargs = replaced(call.given, lambda path, tensor: (changes or {}).get(path, tensor.detach()))
    with torch.no_grad(), unseen_random(seed):
        output: Any = call.module(*args, **kwargs)
    return {
        path: tensor.detach().float() for path, tensor in leaves(output) if tensor.is_floating_point() and tensor.dim()
    }


def spread(tensor: Tensor) -> float:
    """How much its values differ: a change is large or small beside that."""
    return float(tensor.std()) if tensor.numel() > 1 else float(tensor.abs().max())
