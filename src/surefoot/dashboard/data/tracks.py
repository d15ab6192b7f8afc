"""Series that were read are kept, and only what is new is read: rows of a log never change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from surefoot.dashboard.data.sealed import cell_width, sealed_cells
from surefoot.dashboard.data.track import WHOLE_ROWS, Cells, Odd, Track, bucketed, cells_of
from surefoot.runlog.read.column import Column, join, read_pieces
from surefoot.runlog.read.connection import has_table, snapshot
from surefoot.runlog.read.follow import Cursor, newest
from surefoot.runlog.read.process import StoredProcess
from surefoot.runlog.read.segment import Part, read_manifest
from surefoot.runlog.read.series import Series, read_series

MOST_BYTES = 512 * 2**20
MANY = 8  # steps in a bucket, from which on cells are made of them by DuckDB
AT_ONCE = 4_000_000  # rows that are in memory together, about


class Tracks:
    """The series of one process."""

    def __init__(self, process: StoredProcess) -> None:
        self.process = process
        self.lock = threading.Lock()
        self.by_series: OrderedDict[int, Track] = OrderedDict()

    @property
    def num_bytes(self) -> int:
        return sum(track.num_bytes for track in list(self.by_series.values()))

    def read(
        self, wanted: Sequence[Series], first: int, last: int, num: int
    ) -> tuple[Cursor, dict[Series, tuple[Cells, Odd]]]:
        """At most so many buckets of each, and up to where that is."""
        with self.lock:
            now = self._catch_up(wanted)
            found: dict[Series, tuple[Cells, Odd]] = {}
            unread = []
            for series in wanted:
                track = self.by_series[series.id]
                cells = track.cells(first, last, num)
                if cells is None:
                    unread.append(series)
                else:
                    found[series] = cells, track.odd
            for series, some in self._fine(unread, self._part(unread, now.chunk, first, last), num).items():
                found[series] = bucketed(some, first, last, num), self.by_series[series.id].odd
            return now, {series: found[series] for series in wanted if series in found}

    def _part(self, wanted: Sequence[Series], chunk: int, first: int, last: int) -> Part:
        """The range, as far as there are steps in it."""
        tracks = [self.by_series[series.id] for series in wanted]
        firsts = [track.first_step for track in tracks if track.first_step is not None]
        lasts = [track.last_step for track in tracks if track.last_step is not None]
        return Part(upto=chunk, first=max(first, min(firsts, default=first)), last=min(last, max(lasts, default=last)))

    def _fine(self, wanted: Sequence[Series], within: Part, num: int) -> dict[Series, Cells]:
        """Finer cells of a range, or its rows if they are few."""
        assert within.first is not None and within.last is not None, "a range"
        width = (within.last - within.first + 1) // num
        if width < MANY or not wanted:
            return {series: cells_of(column) for series, column in self._rows(wanted, within).items()}
        folded, columns = self._cells(wanted, within, {series.id: width for series in wanted})
        found = {}
        for series, column in columns.items():
            cells, _ = folded.get(series.id, (None, None))
            rows = cells_of(column)
            if cells is None or not len(rows) or rows.steps[0] >= cells.steps[-1]:
                found[series] = rows if cells is None else cells.then(rows)
            else:
                found[series] = cells_of(self._rows([series], within)[series])
        return found

    def _catch_up(self, wanted: Sequence[Series]) -> Cursor:
        with snapshot(self.process.file) as connection:
            now = newest(connection)
        behind: dict[int, list[Series]] = {}
        for series in wanted:
            track = self.by_series.setdefault(series.id, Track())
            self.by_series.move_to_end(series.id)
            if track.chunk < now.chunk:
                behind.setdefault(track.chunk, []).append(series)
        for after, some in behind.items():
            self._read_on(some, Part(after=after, upto=now.chunk))
        return now

    def _read_on(self, wanted: Sequence[Series], part: Part) -> None:
        """What came since. Of what is sealed in great numbers only cells are made, by DuckDB."""
        folded: dict[int, tuple[Cells, Odd]] = {}
        if self._num_sealed(part) < WHOLE_ROWS:
            columns = self._rows(wanted, part)
        else:
            folded, columns = self._cells(wanted, part, self._widths(wanted))
        for series, column in columns.items():
            track = self.by_series[series.id]
            cells, odd = folded.get(series.id, (None, None))
            is_next = cells is None or track.takes(cells.first_steps)
            if is_next and cells is not None and odd is not None:
                track.extend_folded(cells, odd)
            if not is_next or not track.takes(column.steps):
                # Steps that lie before others: rows are put in order only when all of them are read.
                track = self.by_series[series.id] = Track()
                column = self._rows([series], Part(upto=part.upto))[series]
            track.extend(column)
            track.chunk = part.upto or 0

    def _cells(
        self, wanted: Sequence[Series], part: Part, widths: Mapping[int, int]
    ) -> tuple[dict[int, tuple[Cells, Odd]], dict[Series, Column]]:
        """What is sealed as cells of so many steps, and the rows that are not sealed."""
        numbers = {series.id for series in wanted}
        found, folded, pieces = read_pieces(
            self.process.file, lambda series: series.id in numbers, self.process.say, part,
            lambda segments, series, part, say: sealed_cells(segments, series, part, say, widths),
        )  # fmt: skip
        return folded, {one: join(piece for number, piece in pieces if number == one.id) for one in found}

    def _num_sealed(self, part: Part) -> int:
        """About how many sealed rows a series has."""
        with snapshot(self.process.file) as connection:
            num_series = max(1, len(read_series(connection)))
            touched = [one for one in read_manifest(connection, self.process.file) if part.touches(one)]
        return sum(segment.num_rows for segment in touched) // num_series

    def _widths(self, wanted: Sequence[Series]) -> dict[int, int]:
        """How many steps make up a cell of some rows."""
        with snapshot(self.process.file) as connection:
            known = {}
            if has_table(connection, "sealed"):
                known = dict(connection.execute("SELECT series, num_rows FROM sealed"))
            manifest = read_manifest(connection, self.process.file)
        span = max(one.last_step for one in manifest) - min(one.first_step for one in manifest) + 1
        return {series.id: cell_width(span, known.get(series.id, span)) for series in wanted}

    def _rows(self, wanted: Sequence[Series], part: Part) -> dict[Series, Column]:
        found: dict[Series, Column] = {}
        for some in self._groups(wanted, part):
            numbers = {series.id for series in some}
            found |= self.process.columns(lambda series, numbers=numbers: series.id in numbers, part)  # type: ignore[misc]
        return found

    def _groups(self, wanted: Sequence[Series], part: Part) -> Iterable[Sequence[Series]]:
        """As many at once as fit into memory together; one by itself is read fastest."""
        num_rows = self._num_sealed(part)
        if part.first is not None and part.last is not None:
            num_rows = min(num_rows, part.last - part.first + 1)
        size = max(1, AT_ONCE // max(1, num_rows))
        return [wanted[at : at + size] for at in range(0, len(wanted), size)]


class Memory:
    """The tracks of all processes that were asked for; the ones not used for longest go when they take too much."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[Path, int], Tracks] = OrderedDict()

    def of(self, process: StoredProcess) -> Tracks:
        key = process.file, process.file.stat().st_ino  # another file in its place is another process
        with self._lock:
            tracks = self._known.setdefault(key, Tracks(process))
            self._known.move_to_end(key)
            total = sum(known.num_bytes for known in self._known.values())
            while total > self._most_bytes and len(self._known) > 1:
                total -= self._known.popitem(last=False)[1].num_bytes
        if total > self._most_bytes:
            self._thin(tracks)
        return tracks

    def _thin(self, tracks: Tracks) -> None:
        with tracks.lock:
            while tracks.by_series and tracks.num_bytes > self._most_bytes:
                tracks.by_series.popitem(last=False)


def known_series(process: StoredProcess, kind: str = "scalar") -> list[Series]:
    with snapshot(process.file) as connection:
        return [series for series in read_series(connection) if series.kind == kind]
