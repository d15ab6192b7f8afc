"""Losses that are computed without gradients: how a model does on other data, phase by phase.

All that is computed between two steps is one phase, told when training goes on. Where a loss belongs is known by the
loader that is being read, else by its line and the lines that call it: one function may evaluate several sets.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from surefoot.facts import Site, ValidationFacts
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from types import FrameType

    from surefoot.watch.backward import Backward
    from surefoot.watch.epoch import EpochProbe, Pass
    from surefoot.watch.recorder import Recorder

FIRST_PHASES = 64  # of each series, told one by one; later ones are put together, at most so many as double the run
MOST_SERIES = 32
PLACE_DEPTH = 7  # frames that tell two evaluations apart: some are torch's
MOST_WAITING = 4096  # losses on a device that are read together when their phase ends


@dataclass(slots=True)
class Series:
    """One place at which losses are computed, over the whole run."""

    number: int
    kind: str
    name: str
    site: Site | None
    loader: int = 0  # that is read meanwhile
    num_phases: int = 0
    told: int = 0  # phase that was told last
    total: float = 0.0  # since then
    count: int = 0
    trained: tuple[float, int] = (0.0, 0)  # sum and number of training losses then

    @property
    def is_due(self) -> bool:
        return self.num_phases - self.told > self.told // FIRST_PHASES


@dataclass(slots=True)
class Group:
    """The losses of one series in the phase that is running."""

    series: Series
    total: float = 0.0
    count: int = 0
    waiting: list[tuple[Tensor, int]] = field(default_factory=list)  # with their versions

    def add(self, loss: Tensor) -> None:
        if loss.is_cpu:
            try:
                self.total += loss.item()
                self.count += 1
            except RuntimeError:  # inside a transform, where it has no value
                return
        elif len(self.waiting) < MOST_WAITING:  # reading it now would make the program wait
            self.waiting.append((loss, 0 if loss.is_inference() else loss._version))

    def read(self) -> None:
        """Those that wait, but for any that the program has changed since."""
        same = [loss.float() for loss, version in self.waiting if loss.is_inference() or loss._version == version]
        self.total += float(torch.stack(same).sum()) if same else 0.0
        self.count += len(same)
        self.waiting = []


@dataclass(slots=True)
class Latest:
    kind: str
    running: Pass | None
    place: tuple[int, ...]  # in the code, if it is not known by the loader alone
    group: Group


class ValidationProbe(Probe):
    name = "validation"

    def __init__(self, epochs: EpochProbe) -> None:
        self._epochs = epochs
        self._series: dict[Hashable, Series] = {}
        self._groups: dict[Hashable, Group] = {}  # of the running phase
        self._passes: dict[int, list[Pass]] = {}  # by loader, in the running phase
        self._latest: Latest | None = None  # where the last loss went
        self._step = 0  # after which the running phase is
        self._trained_before = (0.0, 0)  # it: sum and number of training losses
        self._has_names = False  # the program tells itself what its validation losses are
        self._train_kinds: tuple[str, ...] = ()

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder

    # --- training

    def backward_ends(self, backward: Backward) -> None:
        if backward.loss is not None and backward.reached:
            self._train_kinds = tuple(part.kind for part in backward.loss.parts)

    def _heard_in_training(self) -> tuple[float, int]:
        losses = self._recorder.losses
        return losses.total, losses.count

    # --- validation

    def hear(self, kind: str, loss: Tensor) -> None:
        """Called for every loss without a gradient: as little as possible."""
        recorder, latest, running = self._recorder, self._latest, self._epochs.running
        if self._has_names or type(loss) is not Tensor or recorder.tap.is_deaf():
            return
        if (
            latest is not None
            and latest.running is running
            and latest.kind == kind
            and recorder.num_steps == self._step
            and (not latest.place or latest.place == _place(3))
        ):
            latest.group.add(loss)
        else:
            recorder.tap.run(self.name, self._hear_first, kind, loss, running, _place(3))

    def _hear_first(self, kind: str, loss: Tensor, running: Pass | None, place: tuple[int, ...]) -> None:
        """Not like the one before."""
        if loss.is_meta or torch._C._functorch.is_functorch_wrapped_tensor(loss):
            return
        if not self._groups or self._recorder.num_steps != self._step:
            self._end_phase()
            self._step, self._trained_before = self._recorder.num_steps, self._heard_in_training()
        site = self._recorder.sites.here()
        is_read = running is not None and running.num_backwards == self._recorder.num_backwards
        key: Hashable = (site, kind)
        if running is not None and is_read:
            passes = self._passes.setdefault(running.loader.id, [])
            if running not in passes:
                passes.append(running)
            key = (running.loader.id, passes.index(running), kind)
        group = self._groups.get(key)
        if group is None:
            loader = running.loader.id if running is not None and is_read else 0
            series = self._series_of(key, kind, "", site, loader)
            if series is None:
                return
            group = self._groups[key] = Group(series)
            waiting = self._recorder.at_next_backward
            if not any(call == self._end_phase for _, call in waiting):
                waiting.append((self.name, self._end_phase))
        self._latest = Latest(kind, running, () if is_read else place, group)
        group.add(loss)

    def named(self, name: str, value: float, site: Site | None) -> None:
        """The program has logged a validation loss."""
        self._has_names = True
        self._groups.clear()
        series = self._series_of(name, "", name, site)
        if series is not None and math.isfinite(value):
            self._step, self._trained_before = self._recorder.num_steps, self._heard_in_training()
            self._count(series, value, 1)

    def _series_of(self, key: Hashable, kind: str, name: str, site: Site | None, loader: int = 0) -> Series | None:
        series = self._series.get(key)
        if series is None and len(self._series) < MOST_SERIES:
            number = len(self._series) + 1
            series = self._series[key] = Series(number, kind, name, site, loader)
        return series

    # --- telling

    def _end_phase(self) -> None:
        groups = list(self._groups.values())
        self._groups.clear()
        self._passes.clear()
        self._latest = None
        for group in groups:
            group.read()
            if group.count and math.isfinite(group.total):
                self._count(group.series, group.total, group.count)

    def _count(self, series: Series, total: float, count: int) -> None:
        series.num_phases += 1
        series.total += total
        series.count += count
        if not series.is_due:
            return
        trained, num_trained = self._trained_before
        known = num_trained - series.trained[1]
        facts = ValidationFacts(
            at=self._recorder.journal.clock,
            index=self._step,
            series=series.number,
            loss=series.total / series.count,
            phase=series.num_phases,
            num_losses=series.count,
            kind=series.kind,
            name=series.name,
            site=series.site,
            train_loss=(trained - series.trained[0]) / known if known else None,
            train_kinds=self._train_kinds,
            num_optimizers=self._recorder.num_optimizers,
            loader=series.loader,
        )
        series.told, series.total, series.count = series.num_phases, 0.0, 0
        series.trained = (trained, num_trained)
        self._recorder.emit(facts)

    def end_facts(self) -> dict[str, Any]:
        self._end_phase()
        return {}


def _place(depth: int) -> tuple[int, ...]:
    """Where in the code we are called from; cheaper than a site, and good enough to be compared with the last one."""
    frame: FrameType | None = sys._getframe(depth)
    place = []
    for _ in range(PLACE_DEPTH):
        if frame is None:
            break
        place.append(frame.f_lasti)
        frame = frame.f_back
    return tuple(place)
