"""Large tensors as few numbers that differ as much as the tensors do.

Each value gets a fixed random sign and is added to one of a few sums. That is linear: a gradient of half the size has a
sketch of half the size, and the norm of the difference of two sketches is about that of the difference of the tensors.
"""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor

ROW_LENGTH = 32  # numbers a sample of an activation
LENGTH = 1024  # numbers a parameter


@lru_cache(maxsize=256)
def _signs(length: int) -> Tensor:
    generator = torch.Generator().manual_seed(length)
    return torch.randint(0, 2, (length,), generator=generator, dtype=torch.int8).mul_(2).sub_(1)


def sketch_rows(rows: Tensor, length: int = ROW_LENGTH) -> Tensor:
    """`rows` is a matrix; few values stay as they are, but for their signs."""
    values = rows.detach().to("cpu", torch.float64)
    width = values.shape[1]
    values = values * _signs(width)
    if width <= length:
        return values
    padded = torch.nn.functional.pad(values, (0, -width % length))
    return padded.view(values.shape[0], -1, length).sum(1)


def sketch(tensor: Tensor) -> Tensor:
    return sketch_rows(tensor.detach().reshape(1, -1), LENGTH)[0]
