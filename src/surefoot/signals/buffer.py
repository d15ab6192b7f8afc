"""One place for what is looked at of all parameters: weights before an update, the update, gradients.

Sorted by length and filled up with zeros, so that the number of torch calls does not grow with that of the parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import torch
from torch import Tensor

from surefoot.signals.subset import Subset

LENGTHS = (512, 4096, 16384)  # to which shorter parameters are filled up; few, because each is a call more


class Buffer:
    """Of parameters on one device, which come sorted by `length`."""

    def __init__(self, subsets: Sequence[Subset], dtype: torch.dtype, device: torch.device) -> None:
        self._subsets = subsets
        self._starts: list[int] = []
        self._blocks: list[tuple[int, int, int]] = []  # begin, number and length of the parameters of one length
        self._rows = torch.zeros(3, self._lay_out(), dtype=dtype, device=device)
        self.before_row, self.update_row, self.gradient_row = self._rows
        self._before, self._update, self._gradients = [self._cut(row) for row in self._rows]
        blocks = [self._rows[:, a : a + num * length].view(3, num, length) for a, num, length in self._blocks]
        self._weight_blocks = [block[:2] for block in blocks]  # before the update, and the update
        self._gradient_blocks = [block[2] for block in blocks]
        self._weights: list[Tensor] = []

    @staticmethod
    def length(size: int) -> int:
        """How much room a parameter gets of which so many elements are looked at."""
        return next((length for length in LENGTHS if size <= length), size)

    def look_at(self, weights: list[Tensor]) -> None:
        """Views of the parameters, from which weights are taken."""
        self._weights = weights

    def take_weights(self) -> None:
        torch._foreach_copy_(self._before, self._weights)

    def take_update(self) -> None:
        """What has become of the weights since they were taken."""
        torch._foreach_copy_(self._update, self._weights)
        self.update_row.sub_(self.before_row)

    def take_gradients(self, positions: Sequence[int], values: list[Tensor]) -> None:
        if values:
            torch._foreach_copy_([self._gradients[i] for i in positions], values)

    def num_filled(self) -> list[Tensor]:
        """How many elements of each gradient are not zero."""
        return [(block != 0).sum(1, dtype=self._rows.dtype) for block in self._gradient_blocks]

    def read(self, others: Sequence[Tensor]) -> tuple[list[float], list[float], list[float]]:
        """Norms of the weights and of their updates, and the elements of `others`: in one transfer."""
        norms = torch.cat([torch.linalg.vector_norm(block, dim=2) for block in self._weight_blocks], dim=1)
        numbers: list[float] = torch.cat([norms.view(-1), *others]).tolist()
        num = len(self._subsets)
        return numbers[:num], numbers[num : 2 * num], numbers[2 * num :]

    @cached_property
    def weight_row(self) -> Tensor:
        """By element, how many it stands for."""
        row = torch.zeros_like(self.before_row)
        for part, subset in zip(self._cut(row), self._subsets, strict=True):
            part.fill_(subset.weight)
        return row

    def owners(self) -> Tensor:
        """By element the position of its parameter; -1 where it is filled up."""
        owners = torch.full(self.before_row.shape, -1, device=self._rows.device)
        for position, part in enumerate(self._cut(owners)):
            part.fill_(position)
        return owners

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
