"""`sf.fit_batch`: measured on a CPU, tried on a GPU."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from surefoot.lab.memory.peak import LiveBytes
from surefoot.lab.memory.search import Line, Need, agree, largest_that_fits, largest_within, lines_of, split
from surefoot.lab.trial import Trial, check_loop, trial
from surefoot.loop.batch import size_of, tensors_of
from surefoot.loop.evaluate import LossFunction
from surefoot.loop.loop import Loop
from surefoot.loop.separate_pass import check_startable_again, nothing_moved, start_separate_pass
from surefoot.sanitizer import unseen

SHARE = 0.8  # of the memory that is free: other programs need some, and so do operations inside
MOST = 65_536
SIZES = (8, 16, 32)  # micro-batches that are measured: two for a line, one to check it
TIMED = 4  # updates of each size
MOST_TIMED = 4096  # larger ones are not run for their speed alone
GAIN = 1.05  # a batch that is not faster than a smaller one by so much is not worth its memory
MEGA = 1e6


@dataclass(frozen=True)
class FitBatch:
    """`largest` fits; `batch` and `accumulate` keep the effective batch with as few micro-batches as fit."""

    largest: int
    batch: int
    accumulate: int
    effective: int
    limit_bytes: int | None  # None where it was tried
    bytes_per_item: float | None
    fixed_bytes: float | None  # gradients, optimizer states, and what else does not depend on the batch
    items_per_second: dict[int, float]  # by micro-batch, of those that were run
    is_most: bool  # it was not looked for a larger one

    @property
    def fast_enough(self) -> int:
        """The smallest of the micro-batches run that is about as fast as the fastest."""
        best = max(self.items_per_second.values())
        return min(size for size, rate in self.items_per_second.items() if rate * GAIN >= best)

    def __str__(self) -> str:
        more = " or more" if self.is_most else ""
        head = f"largest micro-batch that fits: {self.largest}{more}"
        if self.bytes_per_item is not None and self.limit_bytes is not None and self.fixed_bytes is not None:
            head += (
                f" (computed: {self.bytes_per_item / MEGA:.3g} MB an item and {self.fixed_bytes / MEGA:.3g} MB, within "
                f"{self.limit_bytes / MEGA:.4g} MB)"
            )
        fast = self.fast_enough
        speed = f"from {fast} on it hardly gets faster" if fast < max(self.items_per_second) else "larger is faster"
        rates = ", ".join(f"{size}: {rate:.4g}" for size, rate in self.items_per_second.items())
        exact = "" if self.batch * self.accumulate == self.effective else f" (that is {self.batch * self.accumulate})"
        return (
            f"{head}\nfor an effective batch of {self.effective}: batch_size={self.batch}, accumulate={self.accumulate}"
            f"{exact}\nitems a second by micro-batch: {rates}; {speed}"
        )


def fit_batch(
    loop: Loop, loader: Any, loss_fn: LossFunction, *, limit: int | None = None, effective: int | None = None,
    most: int = MOST, weight: Callable[[Any], float] | None = None,
) -> FitBatch:  # fmt: skip
    """Tell the largest micro-batch that fits in memory, and the `accumulate` that keeps the effective batch.

    On a GPU updates are tried until memory runs out. On a CPU that would take the machine down: there the tensors of a
    few small updates are counted, and what larger ones need is computed; `limit` is in bytes, and 80 % of what is free
    if left out. The rows of the loader's first batch are repeated. The effective batch is that of now if left out.
    Everything is put back afterwards, bit for bit.
    """
    check_loop(loop, "fit_batch()")
    _check("limit", limit)
    _check("effective", effective)
    _check("most", most)
    sample = _first_batch(loader)
    size = size_of(sample)
    assert size is not None
    effective = effective or size * next(iter(loop._accumulate.values()))
    runner = _Runner(loop, sample, size, loss_fn, weight)
    if loop.device.type == "cuda":
        if limit is not None:
            raise ValueError("limit is for CPUs: on a GPU what fits is tried.")
        return _tried(runner, effective, most)
    return _computed(runner, effective, most, limit or _free_bytes())


class _Runner:
    """Runs updates with micro-batches of any size, each from the same start."""

    def __init__(self, loop: Loop, sample: Any, size: int, loss_fn: LossFunction, weight: Any) -> None:
        self._loop, self._sample, self._size = loop, sample, size
        self._loss_fn, self._weight = loss_fn, weight
        self.items_per_second: dict[int, float] = {}

    def count(self, num: int) -> Need:
        """What the second update needs, which finds the optimizer's states in memory."""
        batch = _rows(self._sample, self._size, num)
        data = sum(tensor.nbytes for tensor in tensors_of(batch))
        with self._trial(batch) as own:
            own.start()
            with LiveBytes() as live:
                own.update()
                live.timeline.clear()
                own.update()
            self._time(own, num)
        return Need(num, tuple(data + now for now in live.timeline))

    def run(self, num: int) -> None:
        with self._trial(_rows(self._sample, self._size, num)) as own:
            own.start()
            own.update()
            self._time(own, num)

    def _trial(self, batch: Any) -> AbstractContextManager[Trial]:
        return trial(self._loop, [batch], self._loss_fn, self._weight, "fit_batch()")

    def _time(self, own: Trial, num: int) -> None:
        """The best of a few: what else the machine does only slows it down."""
        seconds = []
        for _ in range(TIMED):
            begun = perf_counter()
            own.update()
            if self._loop.device.type == "cuda":
                torch.cuda.synchronize(self._loop.device)
            seconds.append(perf_counter() - begun)
        num_items = num * next(iter(self._loop._accumulate.values()))
        self.items_per_second[num] = num_items / max(min(seconds), 1e-9)


def _computed(runner: _Runner, effective: int, most: int, limit: int) -> FitBatch:
    one = runner.count(1)
    if one.peak > limit:
        raise ValueError(
            f"one item needs {one.peak / MEGA:.4g} MB, and {limit / MEGA:.4g} MB are allowed: nothing fits."
        )
    lines = _lines(runner, one, limit) if most > SIZES[-1] else None
    if lines is None:
        largest, tightest = _doubled(runner, one, most, limit), None
    else:
        largest = largest_within(limit, lines, most)
        tightest = max(lines, key=lambda line: line.at(largest))
    _look_for_speed(runner, largest)
    batch, accumulate = split(effective, largest)
    per_item, fixed = (None, None) if tightest is None else (tightest.per_item, tightest.fixed)
    return FitBatch(
        largest, batch, accumulate, effective, limit, per_item, fixed, runner.items_per_second, largest >= most
    )


def _look_for_speed(runner: _Runner, largest: int) -> None:
    """Double as long as it pays."""
    rates = runner.items_per_second
    size = max(rates)
    while 2 * size <= min(largest, MOST_TIMED):
        runner.run(2 * size)
        if rates[2 * size] < GAIN * rates[size]:
            return
        size *= 2


def _lines(runner: _Runner, one: Need, limit: int) -> list[Line] | None:
    """From two sizes, if they foretell a third; None where they do not, or where these do not fit."""
    needs: list[Need] = []
    for size in SIZES:
        before = needs[-1] if needs else one
        if before.peak * size / before.size > limit:
            return None
        needs.append(runner.count(size))
    lines = lines_of(*needs[:2])
    return lines if lines is not None and agree(lines, needs[2]) else None


def _doubled(runner: _Runner, one: Need, most: int, limit: int) -> int:
    """Measured as far as twice as many will surely fit, too."""
    need = one
    while 2 * need.peak <= limit and need.size < most:
        need = runner.count(min(2 * need.size, most))
    return need.size


def _tried(runner: _Runner, effective: int, most: int) -> FitBatch:
    def fits(num: int) -> bool:
        try:
            runner.run(num)
        except torch.OutOfMemoryError:
            torch.cuda.empty_cache()
            return False
        return True

    largest = largest_that_fits(fits, 1, most)
    if not largest:
        raise ValueError("not even one item fits into the memory of the GPU.")
    batch, accumulate = split(effective, largest)
    return FitBatch(largest, batch, accumulate, effective, None, None, None, runner.items_per_second, largest >= most)


def _first_batch(loader: Any) -> Any:
    check_startable_again(loader)
    with unseen(), nothing_moved(loader):
        for batch in start_separate_pass(loader):
            if not size_of(batch):
                raise TypeError(f"the batches hold no tensor to tell their size by, got a {type(batch).__name__}.")
            return batch
    raise ValueError("the loader must give at least one batch, got none.")


def _rows(batch: Any, size: int, num: int) -> Any:
    """The batch with `num` rows: cut, or with its rows again."""
    chosen = torch.arange(num) % size

    def cut(part: Any) -> Any:
        is_rows = isinstance(part, Tensor) and part.dim() > 0 and part.shape[0] == size
        return part[chosen.to(part.device)] if is_rows else part

    return tree_map(cut, batch)


def _free_bytes() -> int:
    try:
        with open("/proc/meminfo", encoding="ascii") as file:  # noqa: PTH123
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(SHARE * 1024 * int(line.split()[1]))
    except OSError:
        pass
    try:
        return int(SHARE * os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        raise ValueError("this system does not tell its free memory: give limit= in bytes.") from None


def _check(name: str, value: int | None) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}.")
