"""Values that left torch for NumPy, lists or plain numbers, and tensors that were made of them again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.overrides import BaseTorchFunctionMode

from surefoot.facts import Site

Suspects = frozenset[int]  # indices of the followed parameters

MOST_NUMBERS = 1 << 16  # single ones, and elements of a tensor that is compared with them
MOST_ARRAYS = 256


@dataclass(frozen=True, slots=True)
class Cut:
    """Where and how values left the graph."""

    kind: str
    site: Site | None


@dataclass(slots=True)
class Left:
    """What left by one cut."""

    suspects: Suspects = frozenset()
    counts: list[int] = field(default_factory=list)  # numbers of elements
    arrays: list[Any] = field(default_factory=list)  # the program's own: it may change them in place
    numbers: set[float] = field(default_factory=set)  # that left one by one


class Outside:
    def __init__(self) -> None:
        self.left: dict[Cut, Left] = {}

    def leave(self, cut: Cut, suspects: Suspects, values: Any, numel: int) -> None:
        left = self.left.setdefault(cut, Left())
        left.suspects |= suspects
        if isinstance(values, float):
            if len(left.numbers) < MOST_NUMBERS and not values.is_integer():  # a 0 or a 1 may come from anywhere
                left.numbers.add(values)
            return
        left.counts.append(numel)
        if len(left.arrays) < MOST_ARRAYS:
            left.arrays.append(values)

    def as_large_as(self, tensor: Tensor) -> dict[Cut, Suspects]:
        """A tensor made of what no tensor was: of those values that left, if it has as many elements."""
        size = tensor.numel()
        return {
            cut: left.suspects
            for cut, left in self.left.items()
            if size in left.counts or (size and size == sum(left.counts)) or _consists_of(tensor, left.numbers)
        }

    def equal_to(self, tensor: Tensor) -> dict[Cut, Suspects]:
        """A tensor of unknown origin: of those values that left, if it holds the very same."""
        return {
            cut: left.suspects
            for cut, left in self.left.items()
            if tensor.numel() in left.counts and any(_is_equal(tensor, array) for array in left.arrays)
        }


def _consists_of(tensor: Tensor, numbers: set[float]) -> bool:
    if not numbers or not 0 < tensor.numel() <= MOST_NUMBERS or tensor.device.type != "cpu":
        return False
    with BaseTorchFunctionMode(), torch.no_grad():
        return numbers.issuperset(tensor.flatten().tolist())


def _is_equal(tensor: Tensor, values: Any) -> bool:
    if tensor.device.type != "cpu" or tensor.layout is not torch.strided:
        return False
    with BaseTorchFunctionMode(), torch.no_grad():
        other = torch.as_tensor(values).detach()
        return other.numel() == tensor.numel() and torch.equal(other.to(tensor.dtype).flatten(), tensor.flatten())
