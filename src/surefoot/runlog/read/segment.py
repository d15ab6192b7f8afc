"""Sealed scalars: Parquet files, read by DuckDB."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.facts.frozen import frozen
from surefoot.runlog.checksum import file_checksum
from surefoot.runlog.read.connection import has_table
from surefoot.runlog.read.error import Say, SegmentGoneError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@frozen
class Part:
    """Which rows are wanted: by the chunks they came in, or by their steps."""

    after: int = 0  # this chunk
    upto: int | None = None  # that chunk
    first: int | None = None  # step
    last: int | None = None

    def touches(self, segment: Segment) -> bool:
        return (
            segment.last_chunk > self.after
            and (self.first is None or segment.last_step >= self.first)
            and (self.last is None or segment.first_step <= self.last)
        )


WHOLE = Part()

_MAGIC = b"PAR1"
_verified: set[tuple[object, ...]] = set()


@frozen
class Segment:
    """A line of the manifest."""

    file: Path
    num_rows: int
    first_step: int
    last_step: int
    first_chunk: int
    last_chunk: int
    num_bytes: int | None = None  # None: written by a version that kept no checksums
    crc: int | None = None


@frozen
class SealedRows:
    """Some rows, in the order in which they were written, for each series by itself."""

    series: NDArray[np.int32]
    steps: NDArray[np.int64]
    times: NDArray[np.float64]
    values: NDArray[np.float64]


def read_manifest(connection: sqlite3.Connection, file: Path) -> list[Segment]:
    """The segments of a process's file, the oldest first."""
    if not has_table(connection, "segments"):
        return []
    folder = file.with_suffix(".segments")
    sums = dict[str, tuple[int, int]]()
    if has_table(connection, "segment_sums"):
        sums = {
            name: tuple(rest) for name, *rest in connection.execute("SELECT file, num_bytes, crc FROM segment_sums")
        }
    rows = connection.execute(
        "SELECT file, num_rows, first_step, last_step, first_chunk, last_chunk FROM segments ORDER BY first_chunk, id"
    )
    return [Segment(folder / Path(name).name, *rest, *sums.get(name, ())) for name, *rest in rows]


def whole(segments: Sequence[Segment], say: Say, *, last_try: bool) -> list[Segment]:
    """Those that look like whole files. What is wrong with the others is said; one that is gone asks for a retry."""
    found = []
    for segment in segments:
        if not _is_text(segment.file):
            say(f"{segment.file} is left out: DuckDB opens no file whose name is not UTF-8. Move the run elsewhere.")
            continue
        try:
            if not _is_as_written(segment):
                say(f"{segment.file} is damaged: its {segment.num_rows} values are left out.")
                continue
        except FileNotFoundError:
            if not last_try:
                raise SegmentGoneError(segment.file) from None
            say(f"{segment.file} is missing: its {segment.num_rows} values are left out.")
            continue
        except OSError as error:
            say(f"{segment.file} can't be read: {error.strerror or error}. Its {segment.num_rows} values are left out.")
            continue
        found.append(segment)
    return found


def read_rows(segments: Sequence[Segment], say: Say, series: Sequence[int], part: Part = WHOLE) -> SealedRows:
    """The rows of these series that belong to the part."""
    import duckdb
    import numpy as np

    where = where_rows(series, part)
    parts: list[dict[str, Any]] = []
    with duckdb.connect(":memory:") as connection:

        def read(files: list[str]) -> None:
            query = f"SELECT series, step, time, value FROM read_parquet(?) {where}"
            parts.append(connection.execute(query, [files]).fetchnumpy())

        try:
            if segments:
                read([str(segment.file) for segment in segments])
        except duckdb.Error:
            for segment in segments:  # one of them: the others are still read
                try:
                    read([str(segment.file)])
                except duckdb.Error as error:
                    if not segment.file.exists():
                        raise SegmentGoneError(segment.file) from None
                    reason = str(error).splitlines()[0]
                    say(f"{segment.file} is damaged: its {segment.num_rows} values are left out. {reason}")
    columns = {"series": np.int32, "step": np.int64, "time": np.float64, "value": np.float64}
    joined = [
        parts[0][name].astype(type_, copy=False)
        if len(parts) == 1
        else np.concatenate([np.empty(0, type_), *(found[name] for found in parts)])
        for name, type_ in columns.items()
    ]
    return SealedRows(*joined)


def where_rows(series: Sequence[int], part: Part) -> str:
    """The condition on rows of segments."""
    numbers = ", ".join(map(str, series))
    wanted = [f"series = {numbers}" if len(series) == 1 else f"series IN ({numbers})"]  # the first is faster
    wanted += [f"chunk > {part.after}"] if part.after else []
    wanted += [f"chunk <= {part.upto}"] if part.upto is not None else []
    wanted += [f"step >= {part.first}"] if part.first is not None else []
    wanted += [f"step <= {part.last}"] if part.last is not None else []
    return f"WHERE {' AND '.join(wanted)}"


def _is_text(file: Path) -> bool:
    try:
        return bool(str(file.absolute()).encode())
    except UnicodeEncodeError:
        return False


def _is_as_written(segment: Segment) -> bool:
    """Read through once by each process: segments never change."""
    status = segment.file.stat()
    seen = (str(segment.file.absolute()), status.st_ino, status.st_mtime_ns, status.st_size, segment.crc)
    if seen not in _verified:
        if segment.crc is None:
            if not _is_parquet(segment.file) or not _has_its_rows(segment):
                return False
        elif status.st_size != segment.num_bytes or file_checksum(segment.file) != segment.crc:
            return False
        _verified.add(seen)
    return True


def _is_parquet(file: Path) -> bool:
    with file.open("rb") as opened:
        if opened.read(4) != _MAGIC or opened.seek(0, 2) < 2 * len(_MAGIC):
            return False
        opened.seek(-4, 2)
        return opened.read(4) == _MAGIC


def _has_its_rows(segment: Segment) -> bool:
    """Of one without a checksum: whether all of it can be read, and nothing is missing."""
    import duckdb

    columns = ("series", "step", "time", "value", "chunk")
    asked = ", ".join(f"count({column}), max({column})" for column in columns)
    with duckdb.connect(":memory:") as connection:
        try:
            row = connection.execute(f"SELECT {asked} FROM read_parquet(?)", [str(segment.file)]).fetchone()
        except duckdb.Error:
            return False
    return row is not None and set(row[::2]) == {segment.num_rows}


def last_values(segments: Sequence[tuple[Segment, int]]) -> dict[Path, float]:
    """The last value of one series in each of some segments, of many at once; what can't be read is left out."""
    import duckdb

    good = whole([segment for segment, _ in segments], lambda problem: None, last_try=True)
    wanted = [(segment.file, series) for segment, series in segments if segment in good]

    def look(some: Sequence[tuple[Path, int]]) -> dict[Path, float]:
        connection.execute("CREATE OR REPLACE TABLE wanted (file VARCHAR, series INTEGER)")
        connection.executemany("INSERT INTO wanted VALUES (?, ?)", [(str(file), series) for file, series in some])
        rows = connection.execute(
            "SELECT file, arg_max(value, step) FROM read_parquet(?, filename = true) found "
            "JOIN wanted ON found.filename = wanted.file AND found.series = wanted.series GROUP BY file",
            [[str(file) for file, _ in some]],
        )
        return {Path(file): value for file, value in rows.fetchall()}

    with duckdb.connect(":memory:") as connection:
        try:
            return look(wanted)
        except duckdb.Error:
            found: dict[Path, float] = {}
            for one in wanted:  # one of them is damaged, or was merged into another one since
                with contextlib.suppress(duckdb.Error):
                    found |= look([one])
            return found


def find_damaged(files: Sequence[Path]) -> list[Path]:
    """Read them all through, to find out which can't be."""
    import duckdb

    found = []
    with duckdb.connect(":memory:") as connection:
        for file in files:
            try:
                query = "SELECT max(series), max(step), max(time), max(value), max(chunk) FROM read_parquet(?)"
                connection.execute(query, [str(file)]).fetchall()
            except duckdb.Error:
                found.append(file)
    return found
