"""Watch passes over DataLoaders: when one starts, runs out or is left, and what was done meanwhile."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from torch.utils.data import DataLoader, IterableDataset
from torch.utils.data.dataloader import _BaseDataLoaderIter

from surefoot.facts import EpochEdgeFacts, EpochFacts, Site
from surefoot.watch.probe import Probe
from surefoot.watch.tap import Function

if TYPE_CHECKING:
    from surefoot.watch.data.data_probe import DataProbe
    from surefoot.watch.recorder import Recorder

FIRST_PASSES = 32  # of each loader, recorded whatever they look like
MAX_SPACING = 64  # at least every so many passes one is recorded
KEPT_LOADERS = 64  # beyond which dead ones are forgotten


class Loader:
    """What is kept about one DataLoader, or several alike that were made one after the other."""

    def __init__(self, number: int, loader: DataLoader[Any], site: Site | None) -> None:
        self.id = number
        self.site = site
        self.ref = weakref.ref(loader)
        self.dataset = id(getattr(loader, "dataset", None))
        self.num_passes = 0
        self.is_trained_on = False  # something was backwarded during a pass
        self.length = _length(loader)
        self.num_workers = int(getattr(loader, "num_workers", 0))
        self.last: tuple[Any, ...] = ()  # what the previous pass looked like
        self.unrecorded = 0

    def renews(self, loader: DataLoader[Any], site: Site | None) -> bool:
        """Whether `loader` takes this one's place: a loader made anew in each epoch."""
        return self.ref() is None and site == self.site and id(getattr(loader, "dataset", None)) == self.dataset

    def is_due(self, looks: tuple[Any, ...]) -> bool:
        due = self.num_passes <= FIRST_PASSES or looks != self.last or self.unrecorded + 1 >= MAX_SPACING
        self.unrecorded = 0 if due else self.unrecorded + 1
        self.last = looks
        return due


class Pass:
    """One pass while it runs."""

    __slots__ = (
        "__weakref__", "epoch", "exhausted", "feed", "first_at", "first_batch_idle", "iterator", "loader",
        "num_backwards", "num_batches", "num_steps", "over", "site", "started", "waited",
    )  # fmt: skip

    def __init__(self, loader: Loader, site: Site | None, recorder: Recorder) -> None:
        self.loader = loader
        self.site = site
        self.epoch = loader.num_passes
        self.num_batches = 0
        self.num_backwards = recorder.num_backwards  # at the start
        self.num_steps = recorder.num_steps
        self.first_batch_idle = False  # nothing was backwarded between the first two batches: somebody looks ahead
        self.exhausted = False
        self.over = False  # exhausted, or left
        self.started = 0
        self.first_at = 0.0  # the clock when it had given its first batch, for which workers may have to be started
        self.waited = 0.0  # seconds for the batches after it
        self.iterator: weakref.ref[Any] | None = None
        self.feed: Any = None  # what the listener knows of it

    @property
    def is_edge(self) -> bool:
        """The first or the last batch, of the first passes and later of a few."""
        at_edge = self.num_batches == 1 or self.num_batches == self.loader.length
        return at_edge and (self.epoch <= FIRST_PASSES or not self.epoch & (self.epoch - 1))


class EpochProbe(Probe):
    name = "epoch"

    def __init__(self) -> None:
        self._passes: dict[int, Pass] = {}  # by id of the iterator
        self._loaders: list[Loader] = []
        self._num_loaders = 0
        self._died: list[int] = []  # iterators that died while our own code was running
        self.num_started = 0  # passes
        self._latest: Pass | None = None  # the one that a batch was last taken from
        self.listener: DataProbe | None = None  # told of passes and their batches
        self.is_watched = False  # it wants to be told before a batch is put together, too
        self.on_start: list[Callable[[Loader], None]] = []  # told of each pass that starts

    @property
    def running(self) -> Pass | None:
        """The pass inside which the program is now."""
        latest = self._latest
        return latest if latest is not None and not latest.over else None

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        recorder.tap.listen(DataLoader, "__iter__", self.name, after=self._started)
        recorder.tap.replace(_BaseDataLoaderIter, "__next__", self._make_next)

    def _make_next(self, original: Function) -> Function:
        tap, passes = self._recorder.tap, self._passes

        def __next__(self: Any) -> Any:
            if probe.is_watched and id(self) in passes:
                tap.run("epoch", probe._fetches, passes[id(self)])
            started = perf_counter()
            try:
                batch = original(self)
            except StopIteration:
                if id(self) in passes:
                    stop = tap.run("epoch", probe._run_out, id(self), sys._getframe(1).f_code.co_filename)
                    if stop is not None:
                        raise stop from None
                raise
            if id(self) in passes:
                tap.run("epoch", probe._gave, passes[id(self)], batch, perf_counter() - started)
            return batch

        probe = self
        return __next__

    def _fetches(self, running: Pass) -> None:
        if self.listener is not None and running.feed is not None:
            self._recorder.tap.attempt(self.listener.name, self.listener.fetches, running.feed)

    def _gave(self, running: Pass, batch: Any, seconds: float) -> None:
        recorder, listener = self._recorder, self.listener
        self._latest = running
        running.num_batches += 1
        if running.num_batches == 1:
            running.first_at = perf_counter()
        else:
            running.waited += seconds
        if running.num_batches == 2 and running.num_backwards == recorder.num_backwards:
            running.first_batch_idle = True
        if running.is_edge:
            recorder.arm()
        for heard in recorder.on_batch:
            heard(running, batch, seconds)
        if listener is not None and running.feed is not None:
            recorder.tap.attempt(listener.name, listener.gives, running, running.feed, batch)

    def end_facts(self) -> dict[str, Any]:
        """The run ends, and every pass with it."""
        for key in list(self._passes):
            self._end(key)
        return {}

    def _started(self, begun: None, args: Any, kwargs: Any, iterator: Any) -> BaseException | None:
        if iterator is None:  # it raised
            return None
        loader: DataLoader[Any] = args[0]
        stop = self._end_finished()
        if id(iterator) in self._passes:  # persistent workers keep their iterator
            stop = self._end(id(iterator)) or stop
        recorder = self._recorder
        site = recorder.sites.here()
        known = self._known(loader, site)
        known.num_passes += 1
        self.num_started += 1
        running = Pass(known, site, recorder)
        for heard in self.on_start:
            heard(known)
        key = id(iterator)
        running.iterator = weakref.ref(iterator, lambda _: self._dies(key))
        self._passes[key] = running
        if self.listener is not None:
            running.feed = recorder.tap.attempt(self.listener.name, self.listener.starts, running, loader)
            self.is_watched = any(one.feed is not None and one.feed.in_place for one in self._passes.values())
        running.started = recorder.note(
            ("epoch", "start", known.id, id(site)),
            lambda at: EpochEdgeFacts(at, known.id, "start", running.epoch, site, length=known.length),
        )
        return stop

    def _known(self, loader: DataLoader[Any], site: Site | None) -> Loader:
        for known in self._loaders:
            if known.ref() is loader:
                return known
        for known in self._loaders:
            if known.renews(loader, site):
                known.ref = weakref.ref(loader)
                known.length = _length(loader)
                return known
        if len(self._loaders) > KEPT_LOADERS:
            self._loaders = [known for known in self._loaders if known.ref() is not None]
        self._num_loaders += 1
        known = Loader(self._num_loaders, loader, site)
        self._loaders.append(known)
        return known

    def _run_out(self, key: int, file: str) -> BaseException | None:
        running, by_user = self._passes[key], self._recorder.sites.is_user(file)
        running.exhausted = running.over = True
        # Who looks ahead finds the end while the last batch is still to be trained on: the pass then ends when the
        # iterator is let go, or when a loader starts.
        if by_user and not running.first_batch_idle:
            return self._end(key)
        return None

    def _dies(self, key: int) -> None:
        if self._recorder.tap.is_busy:
            self._died.append(key)
        else:
            self._recorder.tap.run("epoch", self._end, key)

    def _end_finished(self) -> BaseException | None:
        stop = None
        finished = [*self._died, *(key for key, running in self._passes.items() if running.exhausted)]
        self._died.clear()
        for key in finished:
            stop = self._end(key) or stop
        return stop

    def _end(self, key: int) -> BaseException | None:
        running = self._passes.pop(key, None)
        if running is None:
            return None
        running.over = True
        recorder, loader = self._recorder, running.loader
        number, epoch, site, complete, length = loader.id, running.epoch, running.site, running.exhausted, loader.length
        done = (
            running.num_batches,
            recorder.num_backwards - running.num_backwards,
            recorder.num_steps - running.num_steps,
        )
        loader.is_trained_on |= done[1] > 0
        at = recorder.note(
            ("epoch", "end", number, complete, done[1] > 0),
            lambda at: EpochEdgeFacts(at, number, "end", epoch, site, complete, *done, length),
        )
        if not loader.is_due((complete, *done)):
            return None
        feed = None
        if self.listener is not None and running.feed is not None:
            feed = recorder.tap.attempt(self.listener.name, self.listener.ends, running, running.feed)
        seconds = perf_counter() - running.first_at if running.num_batches else 0.0
        return recorder.emit(
            EpochFacts(
                at, number, epoch, site, complete, *done, length, running.started, feed,
                seconds=seconds, wait_seconds=running.waited, num_workers=loader.num_workers, step=recorder.num_steps,
            )
        )  # fmt: skip


def _length(loader: DataLoader[Any]) -> int | None:
    """Batches of a whole pass. Asking an iterable-style data set would make torch check it and warn."""
    if isinstance(getattr(loader, "dataset", None), IterableDataset):
        return None
    try:
        return len(loader)
    except (TypeError, NotImplementedError):
        return None
