"""Which series a process has, with how many values, and what they range over."""

from __future__ import annotations

import math
import sqlite3
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.runlog.chunk import unpack
from surefoot.runlog.read.connection import has_table, snapshot
from surefoot.runlog.read.follow import newest
from surefoot.runlog.read.process import StoredProcess
from surefoot.runlog.read.segment import Segment, read_manifest
from surefoot.runlog.read.series import Series, read_layouts, read_series

MOST_KNOWN = 256  # processes
_SEALED = "SELECT series, num_rows, last_step, last_value, low, high FROM sealed"
_HISTS = "SELECT series, count(*), min(step), max(step) FROM hists GROUP BY series"
_OF_SEGMENTS = """
SELECT series, count(*), min(step), max(step), arg_max(value, step), min(value) FILTER (isfinite(value)),
       max(value) FILTER (isfinite(value)) FROM read_parquet(?) GROUP BY series
"""


@dataclass(slots=True)
class Tally:
    count: int = 0
    first: int | None = None
    last: int | None = None
    last_value: float | None = None
    low: float | None = None  # of finite values
    high: float | None = None

    def add(self, other: Tally) -> None:
        """What came later."""
        self.count += other.count
        self.first = _pick(min, self.first, other.first)
        if other.last is not None and (self.last is None or other.last >= self.last):
            self.last, self.last_value = other.last, other.last_value
        self.low, self.high = _pick(min, self.low, other.low), _pick(max, self.high, other.high)


@dataclass(slots=True)
class SeriesIndex:
    """Of one process, up to a chunk."""

    chunk: int = 0
    tallies: dict[int, Tally] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


class SeriesIndexes:
    """Counted once; later only what is new is."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[Path, int], SeriesIndex] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, process: StoredProcess) -> list[dict[str, Any]]:
        key = process.file, process.file.stat().st_ino
        with self._lock:
            index = self._known.setdefault(key, SeriesIndex())
            self._known.move_to_end(key)
            if len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
        with index.lock:
            return _take(process, index)


def _take(process: StoredProcess, index: SeriesIndex) -> list[dict[str, Any]]:
    with snapshot(process.file) as connection:
        now = newest(connection).chunk
        series = read_series(connection)
        hists = _hists(connection)
        segments = [segment for segment in read_manifest(connection, process.file) if segment.last_chunk > index.chunk]
        if segments and index.chunk:  # some of what is new was sealed meanwhile
            index.chunk, index.tallies = 0, {}
            segments = read_manifest(connection, process.file)
        new = _sealed(connection, segments) if segments else {}
        _add_chunks(connection, index.chunk, new)
    for number, tally in new.items():
        index.tallies.setdefault(number, Tally()).add(tally)
    index.chunk = now
    return [_line(one, process.rank, hists if one.kind == "hist" else index.tallies) for one in series]


def _line(series: Series, rank: int | None, tallies: dict[int, Tally]) -> dict[str, Any]:
    tally = tallies.get(series.id) or Tally()
    return {
        "name": series.name, "place": series.place, "rank": rank, "kind": series.kind, "count": tally.count,
        "first": tally.first, "last": tally.last, "last_value": tally.last_value, "low": tally.low, "high": tally.high,
    }  # fmt: skip


def _hists(connection: sqlite3.Connection) -> dict[int, Tally]:
    if not has_table(connection, "hists"):
        return {}
    return {number: Tally(*rest) for number, *rest in connection.execute(_HISTS)}


def _sealed(connection: sqlite3.Connection, segments: list[Segment]) -> dict[int, Tally]:
    """As the writer has noted it, or else counted. The first step is that of the oldest segment, or later."""
    noted = {}
    if has_table(connection, "sealed"):
        first = min(segment.first_step for segment in segments)
        for number, count, last, value, low, high in connection.execute(_SEALED):
            noted[number] = Tally(count, first, last, math.nan if value is None else value, low, high)
    if sum(tally.count for tally in noted.values()) == sum(segment.num_rows for segment in segments):
        return noted
    import duckdb

    files = [str(segment.file) for segment in segments if segment.file.exists()]
    try:
        with duckdb.connect(":memory:") as database:
            rows = database.execute(_OF_SEGMENTS, [files]).fetchall() if files else []
    except duckdb.Error:  # damaged: reading the series tells of it
        return noted
    return {number: Tally(*rest) for number, *rest in rows}


def _add_chunks(connection: sqlite3.Connection, after: int, tallies: dict[int, Tally]) -> None:
    if not has_table(connection, "chunks"):
        return
    layouts = read_layouts(connection)
    rows = connection.execute(
        "SELECT layout, num_steps, steps, times, vals FROM chunks WHERE id > ? ORDER BY id", (after,)
    )
    for layout, *packed in rows:
        columns = unpack(*packed)
        finite = np.isfinite(columns.values)
        lows = np.where(finite, columns.values, np.inf).min(1).tolist()
        highs = np.where(finite, columns.values, -np.inf).max(1).tolist()
        lasts = columns.values[:, -1].tolist()
        first, last, num = int(columns.steps.min()), int(columns.steps[-1]), len(columns.steps)
        for number, low, high, value in zip(layouts[layout], lows, highs, lasts, strict=True):
            some = low <= high
            tally = Tally(num, first, last, value, low if some else None, high if some else None)
            tallies.setdefault(number, Tally()).add(tally)


def _pick(choose: Any, one: Any, two: Any) -> Any:
    if one is None or two is None:
        return two if one is None else one
    return choose(one, two)
