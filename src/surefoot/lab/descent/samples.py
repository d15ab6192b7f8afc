"""Batches. The surface is the mean over samples, so that a batch's gradient is that of the surface on average.

Sample i has the loss `L(w) + a_i · w`: it pulls the weights in a direction of its own. The pulls come in pairs of
opposite ones, so that their sum is zero, and the mean of all losses is exactly L.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from surefoot.lab.descent.catalogue import NUM_SAMPLES
from surefoot.lab.descent.settings import Settings

SIZES = {"batch": NUM_SAMPLES, "single": 1}


def pulls(seed: int, spread: float) -> Tensor:
    """One row a sample."""
    half = spread * torch.randn(NUM_SAMPLES // 2, 2, generator=torch.Generator().manual_seed(seed))
    return torch.cat([half, -half])


def mean_pulls(settings: Settings) -> Iterator[Tensor | None]:
    """Of one batch after the other, epochs shuffled anew; None for the full batch, in which they cancel."""
    size = SIZES.get(settings.noise, settings.batch_size)
    if size == NUM_SAMPLES:
        while True:
            yield None
    all_pulls = pulls(settings.seed, settings.spread)
    order = torch.Generator().manual_seed(settings.seed + 1)
    while True:
        shuffled = torch.randperm(NUM_SAMPLES, generator=order)
        for first in range(0, NUM_SAMPLES - size + 1, size):  # what is left over is dropped: batches weigh the same
            yield all_pulls[shuffled[first : first + size]].mean(0)
