"""One place for what is read of all parameters on one device: weights before an update, the update, gradients.

Sorted by length and filled up with zeros, so that the number of torch calls does not grow with that of the parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, groupby

import torch
from torch import Tensor

from surefoot.signals.subset import Subset

LENGTHS = (512, 4096, 16384)  # to which shorter parameters are filled up; few, because each is a call more


def padded(size: int) -> int:
    """How much room a parameter gets of which so many elements are read."""
    return next((length for length in LENGTHS if size <= length), size)


class Buffer:
    """The subsets come sorted by the room that they get."""

    def __init__(self, subsets: Sequence[Subset], dtype: torch.dtype, device: torch.device) -> None:
        self._subsets = subsets
        lengths = [padded(subset.size) for subset in subsets]
        self._blocks = [(length, len(list(group))) for length, group in groupby(lengths)]
        self._rows = torch.zeros(3, sum(lengths), dtype=dtype, device=device)
        self.weights, self.update, self.gradients = self._rows
        self._scratch = torch.empty_like(self.weights)  # fresh memory would cost more than what is computed in it
        self._places = list(zip(accumulate(lengths, initial=0), subsets, strict=False))
        self._cuts = [self._cut(row) for row in self._rows]

    def take_weights(self, values: list[Tensor]) -> None:
        torch._foreach_copy_(self._cuts[0], values)

    def take_update(self, values: list[Tensor]) -> None:
        """How far the weights have moved since they were taken."""
        torch._foreach_copy_(self._cuts[1], values)
        self.update.sub_(self.weights)

    def take_gradients(self, positions: Sequence[int], values: list[Tensor]) -> None:
        if values:
            torch._foreach_copy_([self._cuts[2][i] for i in positions], values)

    def norms(self) -> list[Tensor]:
        """Of weights and of updates, by parameter: one row each."""
        norms = [torch.linalg.vector_norm(block, dim=2) for block in self._split(self._rows[:2])]
        return list(norms[0] if len(norms) == 1 else torch.cat(norms, dim=1))

    def num_filled(self) -> list[Tensor]:
        """How many elements of each gradient are not zero."""
        numbers = torch.ne(self.gradients, 0, out=self._scratch)  # torch adds them up faster than it counts
        return [block.sum(1) for block in self._split(numbers)]

    def dot(self, a: Tensor, b: Tensor) -> Tensor:
        """Of two rows, scaled up to all elements."""
        return torch.dot(torch.mul(a, self._weight, out=self._scratch), b)

    @cached_property
    def _weight(self) -> Tensor:
        """By element, how many it stands for."""
        row = torch.zeros_like(self.weights)
        for part, subset in zip(self._cut(row), self._subsets, strict=True):
            part.fill_(subset.weight)
        return row

    def owners(self) -> Tensor:
        """By element the position of its parameter; -1 where it is filled up."""
        owners = torch.full(self.weights.shape, -1, device=self._rows.device)
        for position, part in enumerate(self._cut(owners)):
            part.fill_(position)
        return owners

    def _split(self, rows: Tensor) -> list[Tensor]:
        """By length, with a dimension for the parameters of that length and one for their elements."""
        parts = torch.split_with_sizes(rows, [length * num for length, num in self._blocks], dim=-1)
        shapes = [(*rows.shape[:-1], num, length) for length, num in self._blocks]
        return [part.view(shape) for part, shape in zip(parts, shapes, strict=True)]

    def _cut(self, row: Tensor) -> list[Tensor]:
        return [row[start : start + subset.size].view(*subset.view_shape) for start, subset in self._places]
