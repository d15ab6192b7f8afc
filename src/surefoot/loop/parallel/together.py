"""Ranks whose data end at different moments, and ranks that were given the same data."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data.distributed import DistributedSampler

from surefoot.loop.batch import tensors_of
from surefoot.loop.plan import LoopWarning

if TYPE_CHECKING:
    from surefoot.loop.feed import Feed
    from surefoot.loop.parallel.ranks import Ranks

NONE = object()
MOST_BYTES = 1 << 20  # of a tensor, for telling batches apart


class Together:
    """The batches of one feed: as many on every rank, the missing ones repeated, and not counted."""

    def __init__(self, ranks: Ranks) -> None:
        self._ranks = ranks
        self._has_compared = False

    def batches(self, feed: Feed) -> Iterator[tuple[Any, bool]]:
        self._ranks.together("batches()")
        shortest, longest = self._ranks.range(-1 if feed.length is None else feed.length)
        drawn = ((batch, True) for batch in feed.batches())
        for batch, counts in drawn if shortest == longest >= 0 else self._padded(feed):
            if not self._has_compared:
                self._compare(batch, feed)
            yield batch, counts

    def _padded(self, feed: Feed) -> Iterator[tuple[Any, bool]]:
        for batch, counts in self.padded(feed.batches(), NONE if feed.last is None else feed.last):
            if not counts:
                feed.has_ended = False  # in a checkpoint too: the others are still in this epoch
            yield batch, counts
        feed.has_ended = True

    def padded(self, batches: Iterator[Any], last: Any = NONE) -> Iterator[tuple[Any, bool]]:
        """Until all ranks have come to their end: before each batch they tell whether they have one."""
        while True:
            batch = next(batches, NONE)
            is_over = batch is NONE
            last = last if is_over else batch
            num_with, num_without = self._ranks.together("the next batch", [not is_over, last is NONE])
            if not num_with:
                return
            if num_without:
                raise ValueError(
                    f"{num_without:g} of {self._ranks.size} ranks got no batch at all in this epoch. Every rank needs "
                    "at least one: give each a part of the data, or start fewer processes."
                )
            yield last, not is_over

    def _compare(self, batch: Any, feed: Feed) -> None:
        """Say once when all ranks train on the same: then they cost much and add nothing."""
        self._has_compared = True
        found = None if _is_shared_out(feed.loader) else _checksum(batch)
        lowest, highest = self._ranks.range(-1.0 - self._ranks.rank if found is None else found)
        if lowest == highest and self._ranks.rank == 0:
            warnings.warn(
                f"all {self._ranks.size} ranks drew the same first batch. Each is to have its own part of the data: "
                "DataLoader(data, sampler=torch.utils.data.DistributedSampler(data)), or another seed for its order.",
                LoopWarning,
                stacklevel=5,
            )


def _is_shared_out(loader: Any) -> bool:
    samplers = (getattr(loader, "sampler", None), getattr(getattr(loader, "batch_sampler", None), "sampler", None))
    return any(isinstance(sampler, DistributedSampler) for sampler in samplers)


def _checksum(batch: Any) -> int | None:
    """None for a batch without tensors, of which nothing is known."""
    found = None
    for tensor in tensors_of(batch):
        flat = tensor.detach().reshape(-1)[: MOST_BYTES // tensor.element_size()].cpu().contiguous()
        found = zlib.crc32(flat.view(torch.uint8).numpy().tobytes(), found or 0)
    return found
