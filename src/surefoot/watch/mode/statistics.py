"""What copies of a model are compared by: a sample of their weights, and their batch-norm statistics."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.modules.batchnorm import _BatchNorm

from surefoot.watch.inventory.module import parameters_of, part
from surefoot.watch.mode.layer import batchnorms, normalises_by_batch

SAMPLE = 4096  # elements of the largest parameter
NAMES = ("running_mean", "running_var")


def layers_of(model: Module) -> list[_BatchNorm]:
    """Those that take statistics from batches, and use them in eval mode."""
    return [layer for layer in batchnorms(model) if normalises_by_batch(layer)]


def statistics_of(model: Module) -> list[Tensor]:
    found = [part(layer, "_buffers").get(name) for layer in layers_of(model) for name in NAMES]
    return [buffer.detach().clone() for buffer in found if type(buffer) is Tensor and not buffer.is_meta]


def are_equal(some: list[Tensor], others: list[Tensor]) -> bool:
    pairs = zip(some, others, strict=False)
    return len(some) == len(others) and all(torch.equal(a, b.to(a.device)) for a, b in pairs)


def weights_of(model: Module) -> Tensor:
    """Some elements of the largest parameter."""
    largest = max(parameters_of(model), key=lambda param: param.numel())
    flat = largest.detach().reshape(-1)
    return flat[:: max(1, flat.numel() // SAMPLE)].to("cpu", torch.float64, copy=True)
