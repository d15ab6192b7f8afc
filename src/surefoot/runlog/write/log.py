"""The training side of a run log: hand over and go on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from operator import index
from pathlib import Path
from time import time as now
from typing import Any

from surefoot.facts import Record, SignalFacts, StepFacts, ValidationFacts, encode
from surefoot.runlog.chunk import COUNT, pack_numbers
from surefoot.runlog.media.choose import Given
from surefoot.runlog.schema import (
    ADD_EDGES,
    ADD_EVENT,
    ADD_EXCERPT,
    ADD_FINDING,
    ADD_HIST,
    ADD_HIST_SERIES,
    ADD_META,
    ADD_RECORD,
    FINDING_COLUMNS,
)
from surefoot.runlog.storable_text import storable
from surefoot.runlog.write.excerpt import excerpt
from surefoot.runlog.write.layout import Key, Layout, as_floats, scalar_layout
from surefoot.runlog.write.media import MediaFolder
from surefoot.runlog.write.network import is_network
from surefoot.runlog.write.thread import Writer
from surefoot.runlog.write.write_ahead import Sweeper, WriteAheadFile
from surefoot.runlog.write.write_queue import Order, Statement, WriteQueue

KNOWN_LAYOUTS = 4096  # a program that logs other names every time must not fill the memory
FLUSH_SECONDS = 5.0  # how long `flush` waits for the disk
CLOSE_SECONDS = 60.0

PackedRow = tuple[Layout, int, float, bytes]  # with step, time and values
Listener = Callable[[tuple[str, ...], int, float, bytes], None]  # of names, step, time and values as packed doubles


class RunLog:
    """One file. A failure is said once through `say`; nothing of it ever reaches training.

    `meta` is written first; `later` is asked for more of it by the writer's thread: what takes time to find out.
    `listeners` hear the scalars, also when nothing can be written any more. `before_sweep` is called often, by a thread
    that then writes down what waits.
    """

    def __init__(
        self,
        file: Path,
        meta: Mapping[str, str],
        say: Callable[[str], None],
        later: Callable[[], Mapping[str, str]] = dict,
        listeners: Sequence[Listener] = (),
        before_sweep: Callable[[], None] = lambda: None,
    ) -> None:
        self.file = file
        self._listeners = listeners
        self._pid = os.getpid()
        self._layouts: dict[tuple[str, ...], Layout] = {}
        self._other_layouts: dict[tuple[Key, ...], Layout] = {}
        self._last: tuple[tuple[str, ...], Layout] = ((), Layout(()))
        self._write_queue = WriteQueue(lambda: self._writer.hurry())
        self._numbers = count()  # of rows
        self._order_numbers = count()
        self._with_excerpt: set[int] = set()  # numbers of findings
        self._write_ahead = WriteAheadFile(file)
        self._media = MediaFolder(file)
        self._writer = Writer(file, self._write_queue, self._write_ahead, say, later)
        self._open_tail()
        for key, value in meta.items():
            self.meta(key, value)
        self._write_ahead.write(with_orders=True)  # rows of nobody could not be told from those of a living process
        self._sweeper = Sweeper(self._write_ahead, before_sweep)
        self._sweeper.start()
        self._writer.start()

    def _open_tail(self) -> None:
        """Before the first row, unless there is something to be brought back at first, or the file system is slow."""
        with suppress(OSError):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            if not self.file.exists() and not is_network(self.file.parent):
                self._write_ahead.open(self._writer.file_id)

    def scalars(self, step: int, values: Mapping[str, Any], time: float | None = None) -> None:
        """The values of one step, each a number or a tensor of one element."""
        self._add([self._packed(step, values, now() if time is None else time)])

    def rows(self, rows: Iterable[tuple[int, Mapping[str, Any], float]]) -> None:
        """Those of several steps, each with its time. Those before one that can't be packed are written."""
        packed: list[PackedRow] = []
        try:
            packed.extend(self._packed(*row) for row in rows)
        finally:
            self._add(packed)

    def _packed(self, step: int, values: Mapping[str, Any], time: float) -> PackedRow:
        names = tuple(values)
        before, layout = self._last  # most programs log the same names every time: then they are not even hashed
        if names != before:
            layout = self._layouts.get(names) or self._add_layout(names, values)
            self._last = (names, layout)
        try:
            if not layout.is_plain:
                raise TypeError
            packed = layout.pack(*values.values())
        except Exception:
            layout.is_plain = False
            packed = layout.pack(*as_floats(values))
        return layout, step if type(step) is int else index(step), time, packed

    def _add(self, packed: Sequence[PackedRow]) -> None:
        """The layouts are this log's own: they know their numbers in this file."""
        if os.getpid() != self._pid:  # a fork has no threads
            return
        if not self._writer.is_off:
            rows = [(*row, number) for row, number in zip(packed, self._numbers, strict=False)]
            self._write_queue.add_rows(rows)  # first: whoever opens the tail right now finds them there
            self._write_ahead.add(rows)
        for listener in self._listeners:
            for layout, step, time, values in packed:
                if layout.names:
                    listener(layout.names, step, time, values)

    def others(self, step: int, keys: tuple[Key, ...], values: Sequence[float]) -> None:
        """Values of series that are no scalars, such as elements of parameters."""
        layout = self._other_layouts.get(keys)
        if layout is None:
            layout = self._other_layouts[keys] = Layout(keys)
        self._add([(layout, step if type(step) is int else index(step), now(), layout.pack(*values))])

    def hist(self, step: int, name: str, edges: Sequence[float], counts: Sequence[int]) -> None:
        """How many values lie between each two of the edges."""
        if len(edges) != len(counts) + 1:
            raise ValueError(f"{len(counts)} counts lie between {len(counts) + 1} edges, got {len(edges)} edges.")
        bounds, numbers, time = pack_numbers(edges), pack_numbers(counts, COUNT), now()
        self._order(lambda: (ADD_HIST_SERIES, (name,)))
        self._order(lambda: (ADD_EDGES, (bounds,)))
        self._order(lambda: (ADD_HIST, (step, time, numbers, name, bounds)), may_drop=True)

    def meta(self, key: str, value: str) -> None:
        self._order(lambda: (ADD_META, (key, value)))

    def record(self, record: Record) -> None:
        self._order(lambda: _record_statement(record), may_drop=True)

    def finding(self, number: int, finding: Mapping[str, Any]) -> None:
        """Add the finding of that number, or replace it: its count grows."""
        plain = dict(finding)
        self._write_queue.kept_steps.add(plain["step"])
        self._order(lambda: _finding_statement(number, plain))
        if number not in self._with_excerpt:  # the source as it is now; the writer's thread reads it
            self._with_excerpt.add(number)
            self._order(lambda: (ADD_EXCERPT, (number, *excerpt(plain["file"], plain["line"]))))

    def event(self, kind: str, text: str, step: int = 0) -> None:
        time = now()
        self._order(lambda: (ADD_EVENT, (step, time, kind, text)))

    def media(self, step: int, name: str, number: int, given: Given) -> None:
        """A picture and the like, which another thread encodes; dropped where too many of them wait for that."""
        if os.getpid() != self._pid or self._writer.is_off:
            return
        if not self._media.has_room(given):
            self._write_queue.num_dropped += 1
            return
        self._order(self._media.order(index(step), storable(name), number, given), may_drop=True)

    def flush(self, wait_seconds: float = FLUSH_SECONDS) -> bool:
        """Commit at once, before a stop or an alert; whether it was done in time."""
        return os.getpid() == self._pid and self._writer.flush(wait_seconds)

    def close(self) -> None:
        """Commit everything and end the thread."""
        if os.getpid() == self._pid:
            self._sweeper.stop()
            self._writer.close(CLOSE_SECONDS)

    def _add_layout(self, names: tuple[str, ...], values: Mapping[str, Any]) -> Layout:
        if len(self._layouts) >= KNOWN_LAYOUTS:
            self._layouts.clear()
        layout = self._layouts[names] = scalar_layout(values)
        return layout

    def _order(self, statement: Callable[[], Statement], *, may_drop: bool = False) -> None:
        if not self._writer.is_off and os.getpid() == self._pid:
            order = Order(statement, may_drop=may_drop, number=next(self._order_numbers))
            self._write_queue.add_order(order)
            self._write_ahead.add_order(order)


def _record_statement(record: Record) -> Statement:
    step = record.index if isinstance(record, StepFacts | SignalFacts | ValidationFacts) else None
    return ADD_RECORD, (type(record).__name__, step, encode(record))


def _finding_statement(number: int, finding: Mapping[str, Any]) -> Statement:
    evidence = json.dumps(finding["evidence"], default=str)
    return ADD_FINDING, (number, *(finding[name] for name in FINDING_COLUMNS[:-1]), evidence)
