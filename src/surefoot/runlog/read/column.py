"""Series as numpy columns, put together from segments and chunks of one snapshot."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from surefoot.facts.frozen import frozen
from surefoot.runlog.chunk import STEP, TIME, VALUE
from surefoot.runlog.read.connection import has_table, snapshot
from surefoot.runlog.read.error import RunLogError, Say, SegmentGoneError
from surefoot.runlog.read.segment import WHOLE, Part, SealedRows, Segment, read_manifest, read_rows, whole
from surefoot.runlog.read.series import Series, read_layouts, read_series

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TRIES = 5
FEW = 8  # series, up to which they are picked out of a chunk one by one
WAIT_SECONDS = 0.05  # before the manifest is read again; merging segments takes about as long


@frozen
class Column:
    """One series: equally long arrays, by step."""

    steps: NDArray[np.int64]
    times: NDArray[np.float64]
    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.steps)


Piece = tuple[int, Column]  # a series' id, and some of it
T = TypeVar("T")
ReadSealed = Callable[[list[Segment], list[Series], Part, Say], T]


def read_columns(file: Path, wanted: Callable[[Series], bool], say: Say, part: Part = WHOLE) -> dict[Series, Column]:
    """The wanted series of a process, or a part of them. Steps outside of it may come along."""
    series, sealed, chunks = read_pieces(file, wanted, say, part, _sealed)
    by_series: dict[int, list[Column]] = {one.id: [] for one in series}
    for number, piece in sealed + chunks:
        by_series[number].append(piece)
    return {one: join(by_series[one.id]) for one in series}


def read_pieces(
    file: Path, wanted: Callable[[Series], bool], say: Say, part: Part, read_sealed: ReadSealed[T]
) -> tuple[list[Series], T, list[Piece]]:
    """The wanted series, what `read_sealed` makes of their sealed rows, and the rows that are not sealed yet."""
    for attempt in range(TRIES):
        problems: list[str] = []
        try:
            with snapshot(file) as connection:
                series = [one for one in read_series(connection) if wanted(one)]
                chunks = read_chunks(connection, [one.id for one in series], part)
                segments = [segment for segment in read_manifest(connection, file) if part.touches(segment)]
            segments = whole(segments, problems.append, last_try=attempt == TRIES - 1)
            sealed = read_sealed(segments, series, part, problems.append)
        except SegmentGoneError:
            time.sleep(WAIT_SECONDS * attempt)
            continue
        for problem in problems:
            say(problem)
        return series, sealed, chunks
    raise RunLogError(f"the segments of {file} change faster than they can be read. Try again.")


def read_chunks(connection: sqlite3.Connection, wanted: Sequence[int], part: Part = WHOLE) -> list[Piece]:
    """What is not sealed yet, in the order in which it was written."""
    found: list[tuple[int, Piece]] = []
    if not has_table(connection, "chunks"):
        return []
    numbers = frozenset(wanted)
    members = read_layouts(connection)
    homes = Counter(number for some in members.values() for number in set(some))
    for layout, some in members.items():
        places = [(place, number) for place, number in enumerate(some) if number in numbers]
        if places:
            # Rows of a series that is nowhere else are in order by themselves. Slow runs have thousands of chunks.
            is_only_home = all(homes[number] == 1 for _, number in places)
            found += _layout_chunks(connection, layout, places, part, is_only_home=is_only_home)
    found.sort(key=lambda one: one[0])
    return [piece for _, piece in found]


def join(parts: Iterable[Column]) -> Column:
    """One column, by step; equal steps stay in the order in which they were written."""
    import numpy as np

    some = [part for part in parts if len(part)]
    if not some:
        return Column(np.empty(0, STEP), np.empty(0, TIME), np.empty(0, VALUE))
    if len(some) == 1:
        steps, times, values = some[0].steps, some[0].times, some[0].values
    else:
        steps = np.concatenate([part.steps for part in some])
        times = np.concatenate([part.times for part in some])
        values = np.concatenate([part.values for part in some])
    if (steps[1:] >= steps[:-1]).all():
        return Column(steps, times, values)
    order = np.argsort(steps, kind="stable")
    return Column(steps[order], times[order], values[order])


def _layout_chunks(
    connection: sqlite3.Connection, layout: int, places: list[tuple[int, int]], part: Part, *, is_only_home: bool
) -> list[tuple[int, Piece]]:
    """With the number of its chunk each, or all in one piece."""
    import numpy as np

    # Only the wanted values leave SQLite if they are few: a layout may hold hundreds of series.
    is_few = len(places) <= FEW
    packed_alone = [f"substr(vals, {place} * num_steps * 8 + 1, num_steps * 8)" for place, _ in places]
    rows = connection.execute(
        f"SELECT id, steps, times, {', '.join(packed_alone) if is_few else 'vals'} FROM chunks "
        "WHERE layout = ? AND id > ? AND id <= ? ORDER BY id",
        (layout, part.after, 2**63 - 1 if part.upto is None else part.upto),
    ).fetchall()
    if not rows:
        return []
    groups = [rows] if is_only_home else [[row] for row in rows]
    found = []
    for group in groups:
        steps = np.frombuffer(b"".join(row[1] for row in group), STEP)
        times = np.frombuffer(b"".join(row[2] for row in group), TIME)
        if is_few:
            values = [np.frombuffer(b"".join(some), VALUE) for some in list(zip(*group, strict=True))[3:]]
        else:
            tables = [np.frombuffer(row[3], VALUE).reshape(-1, len(row[1]) // 8) for row in group]
            table = tables[0] if len(tables) == 1 else np.concatenate(tables, axis=1)
            values = [table[place] for place, _ in places]
        if any(len(column) != len(steps) for column in (times, *values)):
            raise ValueError("a chunk has not as many times or values as steps")
        for (_, series), some in zip(places, values, strict=True):
            found.append((group[-1][0], (series, Column(steps, times, some))))
    return found


def _sealed(segments: list[Segment], series: list[Series], part: Part, say: Say) -> list[Piece]:
    if not segments or not series:
        return []
    rows = read_rows(segments, say, [one.id for one in series], part)
    if len(series) == 1:
        return [(series[0].id, Column(rows.steps, rows.times, rows.values))]
    return _split(rows)


def _split(rows: SealedRows) -> list[Piece]:
    import numpy as np

    order = np.argsort(rows.series, kind="stable")
    if not len(order):
        return []
    numbers, starts = np.unique(rows.series[order], return_index=True)
    ends = [*starts[1:].tolist(), len(order)]
    parts = []
    for number, start, end in zip(numbers.tolist(), starts.tolist(), ends, strict=True):
        mine = order[start:end]
        parts.append((number, Column(rows.steps[mine], rows.times[mine], rows.values[mine])))
    return parts
