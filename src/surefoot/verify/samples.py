"""Which row of one run is which row of the other, however a batch is split over ranks and micro-batches."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from surefoot.verify.recording import ModelCall, Recording

Ranked = list[tuple[int, int, ModelCall]]  # rank, number of the call, call
Order = Callable[[Ranked], list[int]]


def calls_of(run: Sequence[Recording], step: int) -> Ranked:
    """All of a step, rank after rank."""
    return [(one.rank, at, call) for one in run for at, call in enumerate(one.steps[step].calls)]


def samples_of(calls: Ranked) -> list[int]:
    return [sample for _, _, call in calls for sample in call.samples]


def matching(reference: Sequence[int], other: Sequence[int]) -> list[int] | None:
    """For each row of the reference the row of the other with the same inputs; None if the two have not the same."""
    if Counter(reference) != Counter(other):
        return None
    places: dict[int, deque[int]] = defaultdict(deque)
    for at, sample in enumerate(other):
        places[sample].append(at)
    return [places[sample].popleft() for sample in reference]


def _as_they_come(calls: Ranked) -> list[int]:
    return [row for _, _, row in _rows(calls)]


def _call_by_call(calls: Ranked) -> list[int]:
    """All ranks' first micro-batches, then their second ones."""
    return [row for _, _, row in sorted(_rows(calls), key=lambda one: (one[1] // 1_000_000, one[0]))]


def _interleaved(calls: Ranked) -> list[int]:
    """As DistributedSampler deals samples out: the first of each rank, the second of each rank."""
    return [row for _, _, row in sorted(_rows(calls), key=lambda one: (one[1], one[0]))]


def _rows(calls: Ranked) -> Iterator[tuple[int, int, int]]:
    """Rank, place inside the rank (a million a call), place among all."""
    row = 0
    for rank, number, call in calls:
        for at in range(len(call.samples)):
            yield rank, number * 1_000_000 + at, row
            row += 1


ORDERS: tuple[Order, ...] = (_as_they_come, _interleaved, _call_by_call)


def order_by_value(reference: Ranked, other: Ranked, tolerance: float) -> Order | None:
    """For inputs that are equal but for rounding: how the other's rows must be ordered to give the reference's."""
    one, two = _inputs(reference), _inputs(other)
    if one is None or two is None or one.shape != two.shape:
        return None
    for order in ORDERS:
        if float((two[order(other)] - one).norm()) <= tolerance * float(one.norm()):
            return order
    return None


def _inputs(calls: Ranked) -> Tensor | None:
    found = [call.inputs for _, _, call in calls if call.inputs is not None]
    is_usable = found and len(found) == len(calls) and len({one.shape[1] for one in found}) == 1
    return torch.cat(found) if is_usable else None
