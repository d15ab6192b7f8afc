"""A number that stands for a batch: equal for equal tensors, cheap, and without touching a thing.

A few elements of the first tensors are read. Tensors on other devices are not looked at, because the program would
have to wait for them, nor are small ones, which are equal by chance.
"""

import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

import torch
from torch import Tensor

MOST_TENSORS = 4  # of a batch
FEWEST_ELEMENTS = 8  # of a tensor whose mark tells something
SAMPLED = 64  # elements; of pictures most may be black
DEPTH = 3  # of containers in a batch
UNREAD = 0


def marks_of(batch: Any) -> tuple[int, ...]:
    """Marks of the first tensors of a batch, in their order."""
    return tuple([mark_of(tensor) for tensor in islice(tensors_in(batch, DEPTH), MOST_TENSORS)])


def rows_of(batch: Any) -> frozenset[int]:
    """How many rows its first tensors have."""
    return frozenset(tensor.shape[0] for tensor in islice(tensors_in(batch, DEPTH), MOST_TENSORS) if tensor.ndim)


def tensors_in(value: Any, depth: int) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif depth:
        inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
        for one in inner:
            yield from tensors_in(one, depth - 1)


@lru_cache(maxsize=16)
def _places(size: int) -> Tensor:
    return torch.arange(0, size, max(1, size // SAMPLED), device="cpu")[:SAMPLED]


def mark_of(tensor: Tensor) -> int:
    size = tensor.numel()
    if size < FEWEST_ELEMENTS or type(tensor) is not Tensor or not tensor.is_cpu or tensor.layout != torch.strided:
        return UNREAD
    try:
        with torch.no_grad():
            data = tensor.detach().take(_places(size)).view(torch.uint8).numpy().tobytes()
    except (RuntimeError, NotImplementedError, TypeError):  # nested, quantized, conjugated and other rare kinds
        return UNREAD
    return zlib.crc32(data, size) or 1
