"""Numbers that are equal on all ranks if their weights are: read from a few elements of each parameter."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

SAMPLED = 16  # elements of a parameter
NUM_BLOCKS = 8  # of parameters, of which sums are kept


@dataclass(frozen=True, slots=True)
class Weights:
    checksum: int
    sums: tuple[float, ...]
    sizes: tuple[float, ...]
    firsts: tuple[int, ...]  # which parameter each block begins with
    resolution: float
    num_elements: int


def read_weights(params: Sequence[Tensor]) -> Weights | None:
    """None for parameters of which each rank has a part, and those that are no plain tensors on one device."""
    if not params or not all(_is_plain(param) for param in params) or len({param.device for param in params}) > 1:
        return None
    if params[0].is_cuda and torch.cuda.is_current_stream_capturing():  # which waits for nobody
        return None
    with torch.no_grad():
        samples = [_sample(param) for param in params]
        parts = torch.split(torch.cat([sample.float() for sample in samples]).cpu(), [len(s) for s in samples])
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part.numpy().tobytes(), checksum)
    length = -(-len(params) // NUM_BLOCKS)
    firsts = tuple(range(0, len(params), length))
    blocks = [torch.cat(parts[first : first + length]).double() for first in firsts]
    return Weights(
        checksum,
        tuple(float(block.sum()) for block in blocks),
        tuple(float(block.abs().sum()) for block in blocks),
        firsts,
        max(torch.finfo(param.dtype).eps for param in params),
        sum(param.numel() for param in params),
    )


def _is_plain(param: Tensor) -> bool:
    inner = hasattr(param, "_local_tensor") or param.layout != torch.strided
    return not inner and param.is_floating_point() and param.numel() > 0 and param.device.type != "meta"


def _sample(param: Tensor) -> Tensor:
    """Spread over the whole: the first rows of an embedding may never move."""
    return param.detach().reshape(-1)[:: max(1, param.numel() // SAMPLED)][:SAMPLED]
