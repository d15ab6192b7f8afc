"""Batches of data that is in memory, by indexing a whole batch at once.

A DataLoader over tensors takes them apart sample by sample and puts them together again, which on small models costs
many times the training itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor


class TensorBatches:
    """A loader over tensors of the same length: `sf.TensorBatches(x, y, batch_size=64, shuffle=True)`.

    Every pass draws a new order, from torch's random numbers or from `generator`. `drop_last` leaves out a short last
    batch. With several ranks, `part=(rank, num_ranks)` takes every num_ranks-th sample of the same order: give all
    ranks a generator with the same seed.
    """

    def __init__(
        self,
        *tensors: Tensor,
        batch_size: int,
        shuffle: bool = False,
        drop_last: bool = False,
        generator: torch.Generator | None = None,
        part: tuple[int, int] = (0, 1),
    ) -> None:
        wrong = next((one for one in tensors if not isinstance(one, Tensor) or not one.dim()), None)
        if wrong is not None:
            got = "a single number" if isinstance(wrong, Tensor) else type(wrong).__name__
            raise TypeError(f"TensorBatches takes tensors with a row for each sample, got {got}.")
        lengths = {len(tensor) for tensor in tensors}
        if len(lengths) != 1:
            raise ValueError(f"the tensors must have one length, got {sorted(lengths) or 'no tensors'}.")
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"batch_size must be a whole number, at least 1, got {batch_size!r}.")
        if not 0 <= part[0] < part[1]:
            raise ValueError(f"part must be (rank, num_ranks) with 0 <= rank < num_ranks, got {part}.")
        self.tensors = tensors
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.generator = generator
        self.part = part

    def traits(self) -> dict[str, Any]:
        """What says which samples the first so many batches of an epoch are."""
        own = {name: getattr(self, name) for name in ("batch_size", "shuffle", "drop_last", "part")}
        return {**own, "length": len(self.tensors[0])}

    @property
    def num_samples(self) -> int:
        """The samples of one pass on this rank."""
        rank, num_ranks = self.part
        return len(range(rank, len(self.tensors[0]), num_ranks))

    def __len__(self) -> int:
        whole, rest = divmod(self.num_samples, self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def __iter__(self) -> Iterator[Tensor | tuple[Tensor, ...]]:
        order = None
        if self.shuffle:
            order = torch.randperm(len(self.tensors[0]), generator=self.generator)
        elif self.part[1] > 1:
            order = torch.arange(len(self.tensors[0]))
        if order is not None:
            order = order[self.part[0] :: self.part[1]].to(self.tensors[0].device)
        for i in range(len(self)):
            where = slice(i * self.batch_size, (i + 1) * self.batch_size)
            chosen = tuple(tensor[where if order is None else order[where]] for tensor in self.tensors)
            yield chosen if len(chosen) > 1 else chosen[0]
