"""Find the largest batch: by trying, or from a few measurements. Plain numbers, no torch.

Which moment of an update needs most depends on the batch: with few items it is the optimizer's step, with many the
middle of the backward. So not the peaks of small batches are prolonged, but what is alive after each operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

ALIKE = 0.02  # of what was measured, by which a line may miss it
FINE = 16  # a largest batch is told to a sixteenth


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes that are alive after each operation of an update, with micro-batches of one size."""

    size: int
    timeline: tuple[int, ...]

    @property
    def peak(self) -> int:
        return max(self.timeline)


@dataclass(frozen=True, slots=True)
class Line:
    fixed: float
    per_item: float

    def at(self, size: int) -> float:
        return self.fixed + self.per_item * size


def largest_that_fits(fits: Callable[[int], bool], first: int, most: int) -> int:
    """Double until it does not fit, then halve the gap; 0 if not even one item fits."""
    low, high = 0, first
    while fits(high):
        low = high
        if low >= most:
            return most
        high = min(2 * high, most)
    while high - low > max(1, low // FINE):
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def lines_of(small: Need, large: Need) -> list[Line] | None:
    """What each operation's moment needs, as a fixed part and one for each item; None if the operations differ."""
    if len(small.timeline) != len(large.timeline):
        return None
    more = large.size - small.size
    pairs = zip(small.timeline, large.timeline, strict=True)
    return [Line(a - (b - a) / more * small.size, (b - a) / more) for a, b in pairs]


def agree(lines: Sequence[Line], need: Need) -> bool:
    """Whether they foretell what was measured at another size."""
    return abs(max(line.at(need.size) for line in lines) - need.peak) <= ALIKE * need.peak


def largest_within(limit: int, lines: Sequence[Line], most: int) -> int:
    """The last size at which no moment needs more."""
    if any(line.at(1) > limit for line in lines):
        return 0
    return min([most, *(int((limit - line.fixed) / line.per_item) for line in lines if line.per_item > 0)])


def split(effective: int, largest: int) -> tuple[int, int]:
    """Micro-batch and accumulate that make up the effective batch; exactly, if it can be without much smaller parts."""
    fewest = ceil(effective / largest)
    for accumulate in range(fewest, min(2 * fewest, effective) + 1):
        if effective % accumulate == 0:
            return effective // accumulate, accumulate
    return ceil(effective / fewest), fewest
