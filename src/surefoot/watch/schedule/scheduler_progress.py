"""What one scheduler has done so far: plain numbers that outlive it, because rules ask at the end of the run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import Any

from surefoot.facts import ScheduleFacts, SchedulerFacts, Site

DEAD = 999.9  # a rate cut by so much hardly trains; three tenfold cuts come out a little short of 1000
LOW = 20.0  # where a schedule comes to its end
FIRST_METRICS = 16  # fed to ReduceLROnPlateau; enough to see a trend


@dataclass(slots=True)
class Advance:
    """One call of `scheduler.step()` by the program."""

    site: Site | None
    lrs: tuple[float, ...]
    position: int
    updates: int = 0  # attempted steps of the optimizers it drives
    epoch: Any = None  # identifies the epoch inside which it happened; None between epochs, or unknown
    epoch_length: int | None = None
    past_minimum: int = 0
    metric: float | None = None
    train_loss: float = math.nan


@dataclass(slots=True)
class SchedulerProgress:
    made: SchedulerFacts
    num_steps_before: int  # steps of all optimizers when it was made
    lrs: tuple[float, ...] = ()
    drives: tuple[int, ...] = ()
    resumed: bool = False
    explicit: bool = False
    by_library: bool = False
    may_stop_early: bool = False
    planned: int | None = None
    site: Site | None = None
    first_site: Site | None = None
    count: int = 0
    position: int = 0
    opening: tuple[int, ...] = ()
    before_all_steps: bool = False
    epochs: int = 0
    in_epochs: int = 0
    in_epoch: int = 0
    most_in_epoch: int = 0
    epoch_length: int | None = None
    peaks: tuple[float, ...] = ()
    cut_at: int = 0
    cut_in_epoch_at: int = 0
    low_at: int = 0
    past_minimum: int = 0
    micro_batch_windows: int = 0
    other_windows: int = 0
    per_window: int = 0
    looked: int = 0
    overwritten: int = 0
    overwritten_last: bool = False
    metrics: tuple[tuple[float, float], ...] = ()
    since_step: int = 0  # advances since the optimizer's previous step
    counted_until: int = 0  # updates of the optimizers it drives, of whose windows it was told
    num_windows: int = 0
    num_passes: int = 0  # over loaders in the process, at its last advance
    running: Any = None  # the one inside which that was
    place: Any = None  # code and instruction that made it
    marked: tuple[Any, ...] = ()  # `mark` after its last advance
    _epoch: Any = field(default=None)
    _epoch_lrs: tuple[float, ...] = ()

    @property
    def mark(self) -> tuple[Any, ...]:
        """Changes, rarely, when a rule might come to another verdict."""
        return (
            len(self.opening), self.cut_at > 0, self.cut_in_epoch_at > 0, self.past_minimum.bit_length(),
            min(self.micro_batch_windows, 8), min(self.other_windows, 1), len(self.metrics), min(self.epochs, 4),
            any(lr < 0 for lr in self.lrs),
        )  # fmt: skip

    def advance(self, now: Advance) -> None:
        self.count += 1
        self.since_step += 1
        self.position = now.position
        self._note_opening(now)
        self.site = now.site or self.site
        self._note_epoch(now)
        self._note_rates(now.lrs)
        self.past_minimum = now.past_minimum
        if now.metric is not None and len(self.metrics) < FIRST_METRICS:
            self.metrics = (*self.metrics, (now.metric, now.train_loss))

    def advance_alike(self, lrs: tuple[float, ...]) -> None:
        """Once more from the same place in the same epoch."""
        self.count += 1
        self.since_step += 1
        self.position += 1
        self.past_minimum += self.past_minimum > 0
        self.lrs = lrs
        if self._epoch is not None:
            self.in_epochs += 1
            self.in_epoch += 1
            self.most_in_epoch = max(self.most_in_epoch, self.in_epoch)

    def _note_opening(self, now: Advance) -> None:
        if self.count == 1:
            self.first_site = now.site
        if len(self.opening) == self.count - 1 < 3 and now.site == self.first_site:
            self.opening = (*self.opening, now.updates)

    def _note_epoch(self, now: Advance) -> None:
        if now.epoch is None:
            self._epoch, self.in_epoch = None, 0
            return
        if now.epoch != self._epoch:
            if self._epoch is not None and now.epoch_length is None:  # the epoch before is over: so long it was
                self.epoch_length = self.in_epoch
            self._epoch, self.in_epoch, self._epoch_lrs = now.epoch, 0, self.lrs
            self.epochs += 1
        self.in_epochs += 1
        self.in_epoch += 1
        self.most_in_epoch = max(self.most_in_epoch, self.in_epoch)
        self.epoch_length = now.epoch_length or self.epoch_length

    def _note_rates(self, lrs: tuple[float, ...]) -> None:
        self.lrs = lrs
        self.peaks = tuple(map(max, self.peaks, lrs)) if len(self.peaks) == len(lrs) else lrs
        by = cut(self.peaks, lrs)
        self.low_at = 0 if by < LOW else self.low_at or self.count
        if not self.cut_at and by >= DEAD:
            self.cut_at = self.count
        if self.cut_at and self.in_epoch and not self.cut_in_epoch_at and cut(self._epoch_lrs, lrs) >= DEAD:
            self.cut_in_epoch_at = self.in_epoch

    def windows_end(self, updates: int, num_micro_batches: int) -> None:
        """The optimizer has stepped, on gradients of so many backwards."""
        advances, self.since_step = self.since_step, 0
        self.num_windows += updates - self.counted_until
        self.counted_until = updates
        if advances < 2 or num_micro_batches < 2:
            return
        if advances == num_micro_batches:
            self.micro_batch_windows += 1
            self.per_window = advances
        elif self.num_windows > 1 or advances != num_micro_batches - 1:  # the first window may lack one
            self.other_windows += 1

    def facts(self, updates: int) -> ScheduleFacts:
        told = {name: getattr(self, name) for name in _TOLD}
        return ScheduleFacts(**told, updates=updates, cut=cut(self.peaks, self.lrs))

    def own(self) -> None:
        """Another scheduler has taken it over."""
        self.made = replace(self.made, owned=True)


def cut(before: tuple[float, ...], now: tuple[float, ...]) -> float:
    """How many times smaller the rate has become, in the group where that is least."""
    cuts = [a / b if b > 0 else math.inf for a, b in zip(before, now, strict=False) if a > 0]
    return min(cuts, default=1.0)


_TOLD = tuple({f.name for f in fields(ScheduleFacts)} & {f.name for f in fields(SchedulerProgress)})
