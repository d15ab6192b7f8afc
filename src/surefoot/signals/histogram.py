"""Histograms on fixed edges, so that those of different steps, parameters and ranks can be added up.

Edges are powers of four on both sides of zero. All parameters are counted in one go.
"""

from __future__ import annotations

import torch
from torch import Tensor

from surefoot.signals.tensors import plain_torch

LOWEST, HIGHEST = -12, 5  # exponents: from 6e-8 to 1024; what lies outside is counted in the outermost bins
_SIZES = [4.0**e for e in range(LOWEST, HIGHEST + 1)]
EDGES: tuple[float, ...] = (-3.4e38, *(-size for size in reversed(_SIZES)), *_SIZES, 3.4e38)
NUM_BINS = len(EDGES) - 1


@plain_torch()
def count(values: Tensor, owners: Tensor, num_owners: int) -> list[list[int]]:
    """Of each owner's elements, how many finite ones lie between each two of the edges; -1 is nobody."""
    counted = values.isfinite() & (owners >= 0)
    inner = torch.tensor(EDGES[1:-1], dtype=values.dtype, device=values.device)
    place = torch.bucketize(values[counted], inner, right=True) + NUM_BINS * owners[counted]
    counts = torch.bincount(place, minlength=num_owners * NUM_BINS)
    numbers: list[list[int]] = counts.view(num_owners, NUM_BINS).tolist()
    return numbers
