"""Measure, on sampled steps, how much of a gradient fp16 flushes to zero when no GradScaler lifts it.

Two places tell. Where a gradient is cast down to fp16 both sides can be compared. Further down, a gradient that ran
out of precision consists of zeros and of a few multiples of the smallest fp16 number.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor
from torch.optim import Optimizer

from surefoot.facts import UnderflowFacts
from surefoot.watch.probe import Probe
from surefoot.watch.provenance import Ledger

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

MAX_NODES = 64  # of the graph, from the loss down: outputs are cast near it
MAX_ROWS = 512  # of a matrix
SMALLEST = 2.0**-24  # the smallest fp16 number above zero
BOTTOM = 4 * SMALLEST
MANY_ZEROS = 0.2  # of a gradient whose other elements lie at the bottom: the smaller ones are gone
LOW = 64 * SMALLEST  # the next layer's gradient may be gone
NAMED = 3


class Depth(NamedTuple):
    """How close to zero a gradient is."""

    sunk: bool  # it underflows
    low: bool  # it does, or nearly


class Sample:
    """The casts down to fp16 in one backward, near the loss. Nodes are known by their sequence numbers."""

    def __init__(self) -> None:
        self.running = True
        self._waiting: dict[int, tuple[Tensor, Tensor]] = {}  # sent to a node that may turn out to be of fp16
        self._cast: list[tuple[Tensor, Tensor]] = []

    def see(self, node: int, below: Sequence[int | None], outgoing: Sequence[Any], incoming: Sequence[Any]) -> None:
        """A node has run: `incoming` came from above, `outgoing` goes below, where autograd may cast it."""
        if not self.running or not incoming or incoming[0] is None:
            return
        waiting = self._waiting.pop(node, None)
        if incoming[0].dtype is torch.float16:
            self._cast += [] if waiting is None else [waiting]
            return
        for number, sent in zip(below, outgoing, strict=False):
            if sent is None or sent.layout is not torch.strided:
                continue
            if sent.dtype is torch.float16:  # a node that casts
                self._cast.append(_flushed(incoming[0]))
            elif number is not None and sent.is_floating_point():
                self._waiting[number] = _flushed(sent)

    def counts(self) -> tuple[int, int]:
        """Elements that were cast and not zero, and how many of these were flushed."""
        return sum(int(here) for here, _ in self._cast), sum(int(gone) for _, gone in self._cast)


class UnderflowProbe(Probe):
    name = "underflow"

    def __init__(self) -> None:
        self._sample: Sample | None = None
        self._found: dict[int, UnderflowFacts] = {}  # by optimizer, until it steps

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._half: dict[int, tuple[weakref.ref[Ledger], bool]] = {}  # by optimizer: whether it has fp16 weights

    def backward_begins(self, backward: Backward) -> None:
        self._sample = None
        if backward.scaled_by is not None or not self._is_fp16(backward):
            return
        sample = self._sample = Sample()

        for node in _near([root.grad_fn for root in backward.roots if root.grad_fn is not None]):
            self._watch(node, sample)

    def _watch(self, node: Any, sample: Sample) -> None:
        recorder, number = self._recorder, node._sequence_nr()
        below = [None if n is None or not n.next_functions else n._sequence_nr() for n, _ in node.next_functions]

        def ran(grad_inputs: Any, grad_outputs: Any) -> None:
            recorder.tap.run("underflow", sample.see, number, below, grad_inputs, grad_outputs)

        node.register_hook(ran)

    def backward_ends(self, backward: Backward) -> None:
        sample, self._sample = self._sample, None
        if sample is None:
            return
        sample.running = False  # the graph may be kept and run again
        num_cast, num_flushed = sample.counts()
        reached = {number for number, _ in backward.reached}
        for tracked in self._recorder.optimizers.values():
            if tracked.id in reached:
                self._found[tracked.id] = self._facts(tracked, num_cast, num_flushed, backward.value)

    def step_begins(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is not None and tracked.id in self._found:
            self._recorder.record_due = True

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        tracked = self._recorder.optimizers.get(optimizer)
        found = None if tracked is None else self._found.pop(tracked.id, None)
        return {} if found is None else {"underflow": found}

    def _is_fp16(self, backward: Backward) -> bool:
        return backward.autocast_dtype == "float16" or any(
            self._has_half_weights(tracked) for tracked in self._recorder.optimizers.values()
        )

    def _has_half_weights(self, tracked: TrackedOptimizer) -> bool:
        known = self._half.get(tracked.id)
        if known is None or known[0]() is not tracked.ledger:
            half = any(p.dtype is torch.float16 for p in tracked.ledger.params)
            known = self._half[tracked.id] = (weakref.ref(tracked.ledger), half)
        return known[1]

    def _facts(self, tracked: TrackedOptimizer, num_cast: int, num_flushed: int, value: float | None) -> UnderflowFacts:
        matrices = [p for p in tracked.ledger.params if _is_matrix(p.grad)]
        sunk: list[Tensor] = []
        above = Depth(False, False)  # of the gradient that backward reached before
        for param in reversed(matrices):
            assert param.grad is not None
            above = _depth(param.grad.detach()[:MAX_ROWS].flatten(1), above)
            sunk += [param] if above.sunk else []
        if value and not any(p.grad is not None and p.grad.any() for p in tracked.ledger.params):
            sunk = matrices  # there is a loss, but not one gradient is left of it
        names = tuple(self._recorder.names.of(p) for p in sunk[:NAMED])
        return UnderflowFacts(
            self._has_half_weights(tracked), num_cast, num_flushed, len(matrices), len(sunk), names
        )  # fmt: skip


def _near(nodes: list[Any]) -> list[Any]:
    """The nodes near the loss, nearest first."""
    seen, near = set(nodes), list(nodes)
    for node in near:
        for below, _ in node.next_functions if len(near) < MAX_NODES else ():
            if below is not None and below not in seen and below.next_functions:
                seen.add(below)
                near.append(below)
    return near


def _flushed(before: Tensor) -> tuple[Tensor, Tensor]:
    """How many elements are not zero, and how many of these are in fp16."""
    here = before != 0
    return here.sum(), (here & (before.abs() <= SMALLEST / 2)).sum()


def _is_matrix(grad: Tensor | None) -> bool:
    return grad is not None and grad.ndim > 1 and grad.layout is torch.strided and type(grad) is Tensor


def _depth(grad: Tensor, above: Depth) -> Depth:
    """How close to zero this gradient is, given the one that backward reached before it.

    A gradient that is all zero, or whole rows of it, may belong to idle units: it only counts below a low one.
    """
    zero = grad == 0
    size = grad.abs()[~zero]
    if not size.numel():
        return Depth(above.low, above.low)
    if bool((size < SMALLEST).any()):  # smaller than fp16 can be: it was computed in another precision
        return Depth(False, False)
    median = float(size.float().median())
    num_live = int((~zero.all(dim=1)).sum()) * int((~zero.all(dim=0)).sum())
    zeros, live_zeros = 1 - size.numel() / zero.numel(), 1 - size.numel() / num_live
    sunk = (
        float(size.max()) <= BOTTOM
        or (median <= BOTTOM and live_zeros >= MANY_ZEROS)
        or (above.low and median <= 4 * BOTTOM and zeros >= MANY_ZEROS)
    )
    return Depth(sunk, sunk or median <= LOW)
