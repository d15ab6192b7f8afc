"""Every step's loss, exactly: before the program's own division by the length of a window, for each optimizer.

On a CPU a loss is read when it is backwarded. Elsewhere it stays on its device until some are there, and is copied
without waiting for them to be computed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from math import isclose, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from surefoot.watch.lossgraph.factor import PRODUCTS, user_factor

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.watch.backward import Backward
    from surefoot.watch.tracked_optimizer import TrackedOptimizer
    from surefoot.watch.window import Windows

KEPT = 256  # backwards that no step has used yet
TOGETHER = 64  # losses on a device that are read at a time

Row = tuple[int, int, Tensor, float, float | None]
OnLoss = Callable[[int, int, float, float, float | None], None]  # optimizer, step, loss, factor, rate


_new = tuple.__new__  # of a named tuple: several times as fast as its own way


class Loss(NamedTuple):
    """Of one backward."""

    site: int  # identity of its line
    value: Any  # a number, or a tensor on a device
    factor: float  # the constant that the program multiplied it by


class Losses:
    def __init__(self) -> None:
        self.listeners: list[OnLoss] = []
        self.total, self.count = 0.0, 0  # of all finite losses that were backwarded, without their factors
        self._by_backward: dict[int, Loss] = {}
        self._waiting: list[Row] = []
        self._copies: list[tuple[list[Row], Tensor, Any]] = []  # on their way to the host, until their event is over

    def note(self, backward: Backward, scales: dict[int, Any]) -> None:
        """A loss is about to be backwarded; fills in its value, if that can be read now."""
        if len(backward.roots) == 1 and type(root := backward.roots[0]) is Tensor:
            loss = self.of(root, root.grad_fn, id(backward.site), scales)
            if loss is not None:
                backward.factor, backward.value = loss.factor, self.keep(backward.ordinal, loss)

    def of(self, root: Tensor, node: Any, line: int, scales: dict[int, Any]) -> Loss | None:
        """What a root is worth, None if it is no single number."""
        if root.numel() != 1:
            return None
        value: Any
        if root.is_cpu:
            value = root.item()
            if type(value) is not float:
                return None
        elif root.is_meta or root.is_complex():
            return None
        else:
            value = root.detach()
        factor = 1.0
        if type(node).__name__ in PRODUCTS:
            scale, factor = user_factor(node, scales)
            if scale is not None:
                value = value / (scale if isinstance(value, Tensor) else float(scale))
        return _new(Loss, (line, value, factor))

    def keep(self, ordinal: int, loss: Loss) -> float | None:
        """For the step that will use it; its value, if that is known now."""
        if len(self._by_backward) >= KEPT:
            del self._by_backward[next(iter(self._by_backward))]
        self._by_backward[ordinal] = loss
        value: Any = loss[1]
        if not isinstance(value, float):
            return None
        if isfinite(value):
            self.total += value / loss[2]
            self.count += 1
        return value

    def step(self, tracked: TrackedOptimizer, optimizer: Optimizer, step: int, ordinals: Collection[int]) -> None:
        """Report the loss of a step: the mean over micro-batches of one line, summed over lines."""
        groups = optimizer.param_groups
        rate = groups[0].get("lr") if groups else None
        if not isinstance(rate, float):
            rate = _number(rate)
        if rate is not None and (rate <= 0 or tracked.windows.num_without_rate):
            tracked.windows.note_sign(rate)
        if not self.listeners:
            return
        known = self._by_backward
        total: Any
        if len(ordinals) == 1 and tracked.windows.accumulates == 1:  # as in most loops
            (ordinal,) = ordinals
            if ordinal not in known:
                return
            total, shared = known[ordinal].value, 1.0
        else:
            lines: dict[int, list[Loss]] = {}
            for ordinal in sorted(ordinals):
                if ordinal in known:
                    lines.setdefault(known[ordinal].site, []).append(known[ordinal])
            if not lines:
                return
            total, shared = _joined(lines, tracked.windows)
        if isinstance(total, Tensor):
            self._waiting.append((tracked.id, step, total, shared, rate))
            if len(self._waiting) >= TOGETHER:
                self._copy()
        else:
            for listener in self.listeners:  # not by _tell: one call less in every step
                listener(tracked.id, step, total, shared, rate)

    def _copy(self) -> None:
        """Send those that wait to the host, and report those that have arrived. Not run on a device so far."""
        waiting, self._waiting = self._waiting, []
        together = torch.stack([row[2].reshape(()).float() for row in waiting])
        host = torch.empty(len(waiting), pin_memory=True).copy_(together, non_blocking=True)
        event = torch.Event(together.device)
        event.record()
        self._copies.append((waiting, host, event))
        while self._copies and self._copies[0][2].query():
            self._report(*self._copies.pop(0)[:2])

    def read(self) -> None:
        """All that is still on a device: the run ends."""
        for rows, host, event in self._copies:
            event.synchronize()
            self._report(rows, host)
        self._copies.clear()
        for optimizer, step, value, factor, rate in self._waiting:
            self._tell(optimizer, step, float(value), factor, rate)
        self._waiting.clear()

    def _report(self, rows: list[Row], host: Tensor) -> None:
        for (optimizer, step, _, factor, rate), value in zip(rows, host.tolist(), strict=True):
            self._tell(optimizer, step, value, factor, rate)

    def _tell(self, optimizer: int, step: int, loss: float, factor: float, rate: float | None) -> None:
        for listener in self.listeners:
            listener(optimizer, step, loss, factor, rate)


def _of_window(losses: list[Loss], most: int) -> float:
    """The factor by which the program makes a mean of its micro-batches; any other belongs to the loss.

    A short last window is often divided by the usual length.
    """
    factor = losses[0].factor
    for length in (len(losses), most):
        if length > 1 and isclose(factor * length, 1.0, rel_tol=1e-6):
            return factor
    return 1.0


def _joined(lines: dict[int, list[Loss]], windows: Windows) -> tuple[Any, float]:
    """The mean over the micro-batches of each line, summed over lines, without the program's own division."""
    windows.accumulates = max(windows.accumulates, *map(len, lines.values()))
    total: Any = 0.0
    shared = 1.0
    for losses in lines.values():
        shared = _of_window(losses, windows.accumulates)
        total = total + sum([loss.value for loss in losses]) / len(losses) / shared
    return total, shared


def _number(rate: Any) -> float | None:
    if isinstance(rate, Tensor):
        return float(rate) if rate.is_cpu and rate.numel() == 1 else None
    return float(rate) if isinstance(rate, int) else None
