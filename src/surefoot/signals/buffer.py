"""One place for what is looked at of all parameters: weights before an update, the update, gradients.

Sorted by length and filled up with zeros, so that the number of torch calls does not grow with that of the parameters.
Weights and updates of several samples have room, each in a slot of its own, and are read together: after a step of
training the caches hold nothing of ours, and a function costs more by being the first of its kind than by its work.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import torch
from torch import Tensor

from surefoot.signals.subset import Subset

LENGTHS = (512, 4096, 16384)  # to which shorter parameters are filled up; few, because each is a call more
MOST_SLOTS = 16  # more would hardly make a sample cheaper
MOST_BYTES = 8 * 2**20  # of all slots of an optimizer; one there is in any case


class Buffer:
    """Of parameters on one device, which come sorted by `length`."""

    def __init__(
        self, subsets: Sequence[Subset], dtype: torch.dtype, device: torch.device, most_bytes: int = MOST_BYTES
    ) -> None:  # fmt: skip
        self._subsets = subsets
        self._starts: list[int] = []
        self._blocks: list[tuple[int, int, int]] = []  # begin, number and length of the parameters of one length
        size = self._lay_out()
        self.num_slots = max(1, min(MOST_SLOTS, most_bytes // (2 * size * dtype.itemsize)))
        self.num_taken = 0  # slots that are full
        self._slots = torch.zeros(self.num_slots, 2, size, dtype=dtype, device=device)  # before the update, and after
        self._cuts: list[tuple[list[Tensor], list[Tensor]]] = []  # of each slot that was used so far
        self._begun = self._ended = 0  # the slots whose weights and whose update were taken last
        self._goes_on = [False] * self.num_slots  # by slot, whether its sample began where the one before ended
        self._last = torch.zeros(size, dtype=dtype, device=device)  # where the last one ended that was read
        self.gradient_row = torch.zeros(size, dtype=dtype, device=device)
        self._gradients = self._cut(self.gradient_row)
        self._weights: list[Tensor] = []

    @staticmethod
    def length(size: int) -> int:
        """How much room a parameter gets of which so many elements are looked at."""
        return next((length for length in LENGTHS if size <= length), size)

    def look_at(self, weights: list[Tensor]) -> None:
        """Views of the parameters, from which weights are taken."""
        self._weights = weights

    def take_weights(self) -> None:
        """Those of the next sample, before its update."""
        self._begin(goes_on=False)
        torch._foreach_copy_(self._cuts[self._begun][0], self._weights)

    def go_on(self) -> None:
        """The next sample's weights are those that the last update left: they need not be looked at."""
        self._begin(goes_on=True)

    def has_gone_on(self) -> bool:
        """Whether weights that were taken are those that the last update left, all others being read."""
        return torch.equal(self.before_row, self._last)

    def take_update(self) -> None:
        """What has become of the weights since they were taken; how far they moved is found out by `subtract`."""
        torch._foreach_copy_(self._cuts[self._begun][1], self._weights)
        self._ended = self._begun
        self.num_taken += 1

    def subtract(self) -> None:
        """Make updates of weights, of all that was taken."""
        taken, goes_on = self._slots[: self.num_taken], self._goes_on[: self.num_taken]
        if goes_on[0]:
            taken[0, 0].copy_(self._last)
        if all(goes_on[1:]):
            taken[1:, 0].copy_(taken[:-1, 1])
        else:
            for slot in range(1, len(goes_on)):
                if goes_on[slot]:
                    taken[slot, 0].copy_(taken[slot - 1, 1])
        self._last.copy_(taken[-1, 1])
        taken[:, 1].sub_(taken[:, 0])

    @property
    def before_row(self) -> Tensor:
        """The weights that were taken last."""
        return self._slots[self._begun, 0]

    @property
    def update_row(self) -> Tensor:
        """The last update."""
        return self._slots[self._ended, 1]

    def take_gradients(self, positions: Sequence[int], values: list[Tensor]) -> None:
        if values:
            torch._foreach_copy_([self._gradients[i] for i in positions], values)

    def num_filled(self) -> list[Tensor]:
        """How many elements of each gradient are not zero."""
        blocks = [self.gradient_row[a : a + num * length].view(num, length) for a, num, length in self._blocks]
        return [(block != 0).sum(1, dtype=block.dtype) for block in blocks]

    def read(self, others: Sequence[Tensor]) -> tuple[list[list[float]], list[list[float]], list[float]]:
        """By slot the norms of weights and of updates, and the elements of `others`: in one transfer."""
        taken, self.num_taken = self.num_taken, 0
        cut = [(self._slots[:taken, :, a : a + num * length], num, length) for a, num, length in self._blocks]
        blocks = [part.view(taken, 2, num, length) for part, num, length in cut]
        norms = torch.cat([torch.linalg.vector_norm(block, dim=3) for block in blocks], dim=2)
        numbers: list[float] = torch.cat([norms.view(-1), *others]).tolist()
        num = len(self._subsets)
        rows = [numbers[at : at + num] for at in range(0, 2 * num * taken, num)]
        return rows[::2], rows[1::2], numbers[2 * num * taken :]

    @cached_property
    def weight_row(self) -> Tensor:
        """By element, how many it stands for."""
        row = torch.zeros_like(self.before_row)
        for part, subset in zip(self._cut(row), self._subsets, strict=True):
            part.fill_(subset.weight)
        return row

    def owners(self) -> Tensor:
        """By element the position of its parameter; -1 where it is filled up."""
        owners = torch.full(self.before_row.shape, -1, device=self._slots.device)
        for position, part in enumerate(self._cut(owners)):
            part.fill_(position)
        return owners

    def _begin(self, *, goes_on: bool) -> None:
        self._begun = self.num_taken
        self._goes_on[self._begun] = goes_on
        if self._begun == len(self._cuts):
            before, after = self._slots[self._begun]
            self._cuts.append((self._cut(before), self._cut(after)))

    def _lay_out(self) -> int:
        """Find each parameter a place; how much there is in all."""
        at = 0
        for subset in self._subsets:
            length = self.length(subset.size)
            if self._blocks and self._blocks[-1][2] == length:
                begin, number, _ = self._blocks[-1]
                self._blocks[-1] = (begin, number + 1, length)
            else:
                self._blocks.append((at, 1, length))
            self._starts.append(at)
            at += length
        return at

    def _cut(self, row: Tensor) -> list[Tensor]:
        pairs = zip(self._starts, self._subsets, strict=True)
        return [row[start : start + subset.size].view(*subset.view_shape) for start, subset in pairs]
