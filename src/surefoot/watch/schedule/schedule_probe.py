"""Watch learning-rate schedulers: their making, and every advance that the program itself asks for.

Schedulers override `__init__` and `step` as they like and call each other's. So both are wrapped in every class that
defines them, and only the outermost call counts: what a constructor or another scheduler does is not the program's
doing.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from dataclasses import replace
from threading import get_ident
from types import FrameType
from typing import TYPE_CHECKING, Any

from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau

from surefoot.facts import ScheduleFacts, SchedulerFacts, ScheduleStepFacts, Site
from surefoot.watch.epoch import EpochProbe
from surefoot.watch.probe import Probe
from surefoot.watch.schedule.branch import branches_of
from surefoot.watch.schedule.loop import Loops, user_frames
from surefoot.watch.schedule.rates import are_same, number, rates_of
from surefoot.watch.schedule.scheduler_progress import Advance, SchedulerProgress
from surefoot.watch.schedule.timetable import (
    builtin_of,
    children_of,
    length_of,
    past_minimum_of,
    position_of,
    settings_of,
)
from surefoot.watch.schedule.train_loss import TrainLoss
from surefoot.watch.tap import Function

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder

KEPT = 512  # schedulers told of at the end; a bound for programs that make ever new ones
FIRST_LOOKS = 256  # advances of the process at which a foreign rate is looked for
SETTLED = 64  # advances, after which only every CLOSER_LOOK-th is looked at closely, if all are alike
CLOSER_LOOK = 8
COUNTED_IN_EPOCHS = ("StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingLR")
MANY = 1024  # advances, after which rounds of loops are no longer counted


class ScheduleProbe(Probe):
    name = "schedule"

    def __init__(self, epochs: EpochProbe) -> None:
        self._epochs = epochs
        self._loops = Loops()
        self._inside = 0  # the thread that is in a scheduler's code
        self._known: dict[int, tuple[weakref.ref[Any], SchedulerProgress]] = {}  # by id of the scheduler
        self._all: list[SchedulerProgress] = []
        self._num_made = 0
        self._num_advances = 0
        self._drivers: dict[int, list[SchedulerProgress]] = {}  # by id of the optimizer
        self._last_setter: dict[int, SchedulerProgress] = {}
        self._train_loss = TrainLoss()

    # --- wrappers

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        for kind in _tree(LRScheduler):
            self._wrap(kind)

        def watch_subclass(cls: Any, /, **kwargs: Any) -> None:
            super(LRScheduler, cls).__init_subclass__(**kwargs)  # type: ignore[misc]
            recorder.tap.run("schedule", self._wrap, cls)

        LRScheduler.__init_subclass__ = classmethod(watch_subclass)  # type: ignore[assignment]
        recorder.tap.on_removal(lambda: delattr(LRScheduler, "__init_subclass__"))

    def _wrap(self, kind: type) -> None:
        tap = self._recorder.tap
        for name, make in (
            ("__init__", self._make_init), ("step", self._make_step), ("load_state_dict", self._make_load)
        ):  # fmt: skip
            if name in vars(kind):
                tap.replace(kind, name, make)

    def _make_init(self, original: Function) -> Function:
        probe, recorder = self, self._recorder

        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            if probe._inside == get_ident():
                original(self, *args, **kwargs)
                return
            probe._inside = get_ident()
            try:
                original(self, *args, **kwargs)
            finally:
                probe._inside = 0
            recorder.tap.run("schedule", probe._made, self, True)

        return __init__

    def _make_step(self, original: Function) -> Function:
        probe, recorder = self, self._recorder

        def step(self: Any, *args: Any, **kwargs: Any) -> Any:
            if probe._inside == get_ident() or getattr(self, "_is_initial", False) or recorder.tap.is_deaf():
                return original(self, *args, **kwargs)
            probe._inside = get_ident()
            try:
                if probe.looks_at_rates:
                    recorder.tap.run("schedule", probe._advances, self)
                result = original(self, *args, **kwargs)
            finally:
                probe._inside = 0
            recorder.tap.run("schedule", probe._advanced, self, args, kwargs, sys._getframe(1))
            return result

        return step

    def _make_load(self, original: Function) -> Function:
        probe, recorder = self, self._recorder

        def load_state_dict(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            if probe._inside != get_ident():
                recorder.tap.run("schedule", probe._loaded, self)
            return result

        return load_state_dict

    # --- what happens to a scheduler

    def _made(self, scheduler: Any, seen: bool) -> SchedulerProgress:
        """Get to know a scheduler; `seen`: at its making, rather than when it was first used."""
        recorder = self._recorder
        optimizer = getattr(scheduler, "optimizer", None)
        tracked = recorder.tracked(optimizer) if isinstance(optimizer, Optimizer) else None
        self._num_made += 1
        made = SchedulerFacts(
            self._num_made, type(scheduler).__name__, tracked.id if tracked else 0,
            recorder.sites.here() if seen else None, length_of(scheduler), settings_of(scheduler),
            builtin_of(scheduler),
        )  # fmt: skip
        for child in children_of(scheduler):
            if (known := self._known.get(id(child))) is not None:
                known[1].own()
        position = position_of(scheduler) or 0
        rates = rates_of(scheduler)
        progress = SchedulerProgress(
            made, recorder.num_steps, lrs=rates, peaks=rates, position=position, resumed=position > 0
        )
        progress.resumed |= not seen
        progress.num_passes = self._epochs.num_started
        self._keep(scheduler, progress)
        self._note_drives(scheduler, progress)
        progress.counted_until = self._updates_of(progress)
        recorder.setup_due = True
        return progress

    def _keep(self, scheduler: Any, progress: SchedulerProgress) -> None:
        key = id(scheduler)
        self._known[key] = (weakref.ref(scheduler, lambda _: self._known.pop(key, None)), progress)
        self._all.append(progress)
        del self._all[:-KEPT]
        if isinstance(scheduler, ReduceLROnPlateau):  # it is compared with the mean of all training losses
            self._train_loss.wanted = True
            self._recorder.ask_in_every_window(self, "backward_begins")

    def _note_drives(self, scheduler: Any, progress: SchedulerProgress) -> None:
        """The optimizers that hold the very parameter groups whose rate it sets."""
        groups = {id(group) for group in getattr(getattr(scheduler, "optimizer", None), "param_groups", ())}
        drives = []
        for tracked in self._recorder.optimizers.values():
            optimizer = tracked.optimizer()
            if optimizer is not None and any(id(group) in groups for group in optimizer.param_groups):
                drives.append(tracked.id)
        if tuple(drives) != progress.drives:
            progress.drives = tuple(drives)
            progress.counted_until = self._updates_of(progress)
            self._drivers = {i: [p for p in self._all if i in p.drives] for p in self._all for i in p.drives}

    def _progress(self, scheduler: Any) -> SchedulerProgress:
        known = self._known.get(id(scheduler))
        return known[1] if known is not None and known[0]() is scheduler else self._made(scheduler, False)

    @property
    def looks_at_rates(self) -> bool:
        """Whether the next advance looks for foreign rates; only the first ones do."""
        self._num_advances += 1
        return self._num_advances <= FIRST_LOOKS

    def _advances(self, scheduler: Any) -> None:
        progress = self._progress(scheduler)
        progress.looked += 1
        found = rates_of(scheduler)
        last = self._last_setter.get(progress.made.optimizer, progress)
        progress.overwritten_last = last is progress and not are_same(found, progress.lrs)
        progress.overwritten += progress.overwritten_last

    def _advanced(self, scheduler: Any, args: Any, kwargs: Any, frame: FrameType) -> None:
        progress = self._progress(scheduler)
        self._count_windows(progress)
        self._advance(scheduler, progress, args, kwargs, frame)
        mark = progress.mark
        if mark != progress.marked:  # a rule may come to another verdict
            progress.marked = mark
            self._recorder.arm()
            self._recorder.record_due = True

    def _advance(self, scheduler: Any, progress: SchedulerProgress, args: Any, kwargs: Any, frame: FrameType) -> None:
        self._last_setter[progress.made.optimizer] = progress
        place = (frame.f_code, frame.f_lasti)
        if place == progress.place and not args and not kwargs and self._goes_on_alike(progress):
            progress.advance_alike(rates_of(scheduler))
            self._journal(progress, progress.site, None)
            return
        progress.place, progress.running = place, self._epochs.running
        site = self._recorder.sites.here()
        metric = None
        if isinstance(scheduler, ReduceLROnPlateau):
            metric = number(args[0] if args else kwargs.get("metrics"))
        elif args or kwargs.get("epoch") is not None:
            progress.explicit = True
        self._note_start(progress, frame)
        if progress.count & (progress.count - 1) == 0:  # now and then: groups and optimizers may have come
            self._note_drives(scheduler, progress)
        position = position_of(scheduler)
        now = Advance(site, rates_of(scheduler), progress.position + 1 if position is None else position)
        now.updates = self._updates_of(progress)
        now.epoch, now.epoch_length = self._epoch_of(scheduler, progress, frame)
        now.past_minimum = past_minimum_of(scheduler)
        if metric is not None:
            now.metric, now.train_loss = metric, self._train_loss.since_last(progress)
        progress.advance(now)
        self._journal(progress, site, metric)

    def _goes_on_alike(self, progress: SchedulerProgress) -> bool:
        """Whether an advance from the same place needs no closer look: many did before it, in the same epoch."""
        if progress.count < SETTLED or progress.count % CLOSER_LOOK == 0:
            return False
        if progress.num_passes != self._epochs.num_started or progress.running is not self._epochs.running:
            return False
        return progress.running is not None or not self._counts_rounds(progress)

    def _note_start(self, progress: SchedulerProgress, frame: FrameType) -> None:
        recorder = self._recorder
        progress.by_library = not recorder.sites.is_user(frame.f_code.co_filename)
        if progress.count == 0:
            progress.before_all_steps = recorder.num_steps == progress.num_steps_before
            frames = user_frames(frame, recorder.sites.is_user, most=16)
            progress.may_stop_early = progress.by_library or self._loops.may_stop_early(frames)
            progress.planned = None if progress.by_library else self._loops.planned(frames)

    def _epoch_of(self, scheduler: Any, progress: SchedulerProgress, frame: FrameType) -> tuple[Any, int | None]:
        """What identifies the epoch inside which the program is, and its length."""
        running, num_passes = self._epochs.running, progress.num_passes
        progress.num_passes = self._epochs.num_started
        if running is not None:
            return (running.loader.id, running.epoch), running.loader.length
        if num_passes != self._epochs.num_started:
            return None, None  # between two passes
        if not self._counts_rounds(progress):
            return None, None
        frames = user_frames(frame, self._recorder.sites.is_user)
        return self._loops.round_of(frames, scheduler), None

    def _counts_rounds(self, progress: SchedulerProgress) -> bool:
        """Whether rounds of the program's loops stand for the epochs of a loader."""
        return progress.made.builtin in COUNTED_IN_EPOCHS and progress.count <= MANY

    def _journal(self, progress: SchedulerProgress, site: Site | None, metric: float | None) -> None:
        number, count, rates = progress.made.id, progress.count, progress.lrs
        self._recorder.note(
            ("schedule", number, id(site)), lambda at: ScheduleStepFacts(at, number, site, count, rates, metric)
        )

    def _loaded(self, scheduler: Any) -> None:
        progress = self._progress(scheduler)
        progress.resumed = True
        progress.position = position_of(scheduler) or progress.position
        progress.lrs = rates_of(scheduler)

    def _updates_of(self, progress: SchedulerProgress) -> int:
        updates = self._recorder.updates
        return sum([updates.get(number, 0) for number in progress.drives])

    def _count_windows(self, progress: SchedulerProgress) -> None:
        """The windows that have ended since the last advance: the first of them had all advances since its start."""
        updates = self._updates_of(progress)
        if updates == progress.counted_until:
            return
        used = []
        if progress.since_step > 1:  # else it makes no difference
            used = [a.ledger.num_used for a in self._recorder.optimizers.values() if a.id in progress.drives]
        progress.windows_end(updates, max(used, default=0))

    # --- what the recorder asks

    def backward_begins(self, backward: Backward) -> None:
        if self._train_loss.wanted:
            self._train_loss.note(backward)

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        tracked = self._recorder.optimizers.get(optimizer)
        drivers = self._drivers.get(tracked.id, []) if tracked is not None else []
        for progress in drivers:
            self._count_windows(progress)
        return {"schedules": tuple(p.facts(self._updates_of(p)) for p in drivers if not p.made.owned)}

    def setup_facts(self) -> dict[str, Any]:
        return {"schedulers": tuple(progress.made for progress in self._all)}

    def end_facts(self) -> dict[str, Any]:
        return {
            "schedules": tuple(self._final(p) for p in self._all if not p.made.owned),
            "updates": tuple(sorted(self._recorder.updates.items())),
        }

    def _final(self, progress: SchedulerProgress) -> ScheduleFacts:
        self._count_windows(progress)
        facts = progress.facts(self._updates_of(progress))
        if facts.count:
            return facts
        branches = branches_of(facts.made.site)
        by_counters = bool(branches) and all(branch.asks_counters for branch in branches)
        return replace(
            facts,
            in_branch=bool(branches),
            unreached_at=branches[0].site if by_counters else None,
            unreachable=by_counters and all(branch.is_impossible for branch in branches),
        )


def _tree(kind: Any) -> Iterator[type]:
    yield kind
    for child in kind.__subclasses__():
        yield from _tree(child)
