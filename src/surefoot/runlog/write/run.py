"""One run, as far as this process writes it: the sanitizer, a loop and the program itself share it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from surefoot.facts import Record
from surefoot.runlog.labels import Labels
from surefoot.runlog.media.choose import Given, split
from surefoot.runlog.setting import as_meta, flat
from surefoot.runlog.write.about import about_later, about_process, now
from surefoot.runlog.write.layout import PLAIN, Key
from surefoot.runlog.write.log import Listener, RunLog
from surefoot.runlog.write.waiting import SURE_SECONDS, Waiting, WaitingRows


class Run:
    """Its folder is made when something is written: a program that trains nothing leaves none behind."""

    def __init__(
        self,
        folder: Path,
        script: str,
        say: Callable[[str], None],
        *,
        file: str = "",
        rank: int = 0,
        num_ranks: int = 1,
        at_opening: Callable[[Run], None] = lambda run: None,
    ) -> None:
        self.folder = folder
        self.num_loops = 0  # that write to it
        self.is_lent = False  # by `surefoot run`, which ends it: the program's own close() does not
        self.has_own_series = False  # a sanitizer writes to it, too
        self.is_loops_own = False  # and ends with it: another loop has another one
        self.step: Callable[[], int] | None = None  # where training stands, if somebody counts
        self._file = folder / (file or f"rank-{rank}.db")
        self._say = say
        self._at_opening = at_opening
        self._meta = about_process(folder.name, script, rank, num_ranks)
        self._log: RunLog | None = None
        self._is_closed = False
        self._pid = os.getpid()
        self._num_logged = 0
        self._listeners: list[Listener] = []
        self._before_closing: list[Callable[[], None]] = []
        self._waiting = WaitingRows(self._write_waiting)
        self._opening = threading.RLock()  # reentrant: a signal handler may log

    @property
    def name(self) -> str:
        """The name of the run's folder."""
        return self.folder.name

    @property
    def is_closed(self) -> bool:
        """Whether the run has ended, so that nothing more is written."""
        return self._is_closed

    @property
    def is_first_rank(self) -> bool:
        """Whether this process is rank 0."""
        return self._meta["rank"] == "0"

    @property
    def attempt(self) -> int:
        """The number of this attempt to train, from 1."""
        return int(self._meta["attempt"])

    def log(self, values: Mapping[str, Any], step: int | None = None) -> None:
        """Record numbers and media by name. Without a step: where training stands, or else the number of this call."""
        if step is None:
            step = self._num_logged if self.step is None else self.step()
            self._num_logged += 1
        elif not hasattr(step, "__index__"):
            raise TypeError(f"step must be a whole number, got {step!r}.")
        if PLAIN.issuperset(map(type, values.values())):
            self.scalars(step, values)
            return
        numbers, media = split(values)
        if numbers:
            self.scalars(step, numbers)
        for name, some in media.items():
            self.media(step, name, some)

    def media(self, step: int, name: str, some: Sequence[Given]) -> None:
        """Record images, figures, texts, tables or audio of a step under a name."""
        log = self._log or self._open()
        for number, given in enumerate(some if log is not None else ()):
            log.media(step, name, number, given)  # type: ignore[union-attr]

    def scalars(self, step: int, values: Mapping[str, Any], time: float | None = None) -> None:
        """At once, after those that wait."""
        self.settle()
        log = self._log or self._open()
        if log is not None:
            log.scalars(step, values, time)

    def scalars_soon(self, step: int, values: Mapping[str, Any], time: float | None = None) -> None:
        """With others, within a moment. The values must stay as they are."""
        if self._log is not None or self._open() is not None:
            self._waiting.add(step, values, time)

    def _write_waiting(self, rows: Iterator[Waiting]) -> None:
        log = self._log or self._open()
        if log is not None:
            log.rows(rows)

    def others(self, step: int, keys: tuple[Key, ...], values: Sequence[float]) -> None:
        """Write values of series that are no scalars, such as elements of parameters."""
        log = self._open()
        if log is not None:
            log.others(step, keys, values)

    def hist(self, step: int, name: str, edges: Sequence[float], counts: Sequence[int]) -> None:
        """How many values lie between each two of the edges."""
        log = self._open()
        if log is not None:
            log.hist(step, name, edges, counts)

    def record(self, record: Record) -> None:
        """Write the facts of a step."""
        log = self._log or self._open()
        if log is not None:
            log.record(record)

    def finding(self, number: int, finding: Mapping[str, Any]) -> None:
        """Write a finding; a later one with the same number replaces it."""
        log = self._open()
        if log is not None:
            log.finding(number, finding)

    def event(self, kind: str, text: str, step: int = 0) -> None:
        """Write that something happened at a step."""
        log = self._open()
        if log is not None:
            log.event(kind, text, step)

    def meta(self, key: str, value: str) -> None:
        """Kept until the file is opened, if it is not yet."""
        self._meta[key] = value
        if self._log is not None:
            self._log.meta(key, value)

    def settings(self, given: Any, source: str = "config") -> None:
        """Store settings by name: a dict, a dataclass or a namespace. Of the same name, the last one counts."""
        for name, value in flat(given).items():
            self.meta(*as_meta(name, value, source))

    def label(self, labels: Labels) -> None:
        """Store what people call the run, as far as nobody has said so before."""
        for key, text in labels.as_meta().items():
            if key not in self._meta:
                self.meta(key, text)

    def listen(self, listener: Listener) -> None:
        """From now on it receives every row of scalars, in the thread that logs."""
        self._listeners.append(listener)

    def unlisten(self, listener: Listener) -> None:
        """End what `listen` began."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def before_closing(self, call: Callable[[], None]) -> None:
        """To be called at the last moment at which the run can be written to; more than once, if it comes so."""
        self._before_closing.append(call)

    def settle(self) -> None:
        """Hand over the rows that wait for others."""
        self._waiting.hand_over()

    def flush(self) -> None:
        """Commit what was logged so far, at once."""
        self._waiting.hand_over(SURE_SECONDS)
        if self._log is not None:
            self._log.flush()

    def close(self, reason: str = "finished", status: int | None = None) -> None:
        """End the run; what comes later is not written. Ending twice does nothing."""
        if self._is_closed or os.getpid() != self._pid:
            self._log = None
            return
        if self.is_lent:
            self.flush()
            return
        for call in self._before_closing:
            call()
        self._waiting.hand_over(SURE_SECONDS)
        log, self._log = self._log, None
        self._is_closed = True
        if log is not None:
            log.meta("ended", now())
            log.meta("reason", reason)
            if status is not None:
                log.meta("exit", str(status))
            log.close()

    def _repr_html_(self) -> str | None:
        """In a notebook, it shows what was logged so far; nothing to show is nothing special."""
        from surefoot.runlog.read.error import RunLogError
        from surefoot.runlog.read.run import load_run

        self.flush()
        try:
            return load_run(self.folder)._repr_html_()
        except RunLogError:
            return None

    def _open(self) -> RunLog | None:
        if self._log is None and not self._is_closed and os.getpid() == self._pid:
            with self._opening:
                if self._log is None:
                    cwd = self._meta["cwd"]
                    self._log = RunLog(
                        self._file, self._meta, self._say, lambda: about_later(cwd), self._listeners, self.settle
                    )
                    self._at_opening(self)
        return self._log

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close("finished" if error is None else "raised")
