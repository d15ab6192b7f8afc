"""Segments: Parquet files of sealed scalars, sorted by series and step, and the transactions that bring them in."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.facts.frozen import frozen
from surefoot.runlog.checksum import checksum, file_checksum, seed_of
from surefoot.runlog.chunk import unpack, unpack_series
from surefoot.runlog.schema import ADD_SEALED, ADD_SEGMENT_SUM

if TYPE_CHECKING:
    from surefoot.runlog.write.store import Store

FORMAT = "FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2, ROW_GROUP_SIZE 122880"
ORDER = "ORDER BY series, step, chunk"
MEMORY = "512MB"  # for DuckDB; beyond that it sorts on disk
COLUMNS = "file, num_rows, first_step, last_step, first_chunk, last_chunk"

# DuckDB takes NaN in arrays for NULL. We have no NULL, so that this is the way back.
NUMBERS = "CREATE VIEW numbers AS SELECT * REPLACE (coalesce(value, 'nan'::DOUBLE) AS value) FROM rows"
SUMMARY = """
SELECT series, count(*), arg_max(step, row(chunk, step)), arg_max(time, row(chunk, step)),
    arg_max(value, row(chunk, step)),
    min(value) FILTER (isfinite(value)), arg_min(step, value) FILTER (isfinite(value)),
    max(value) FILTER (isfinite(value)), arg_max(step, value) FILTER (isfinite(value))
FROM numbers GROUP BY series ORDER BY series
"""

# The steps of sealing and of compaction, for tests that fail at each of them.
POINTS = ("begun", "written", "named", "listed", "deleted", "committed")
reached: Callable[[str], None] = lambda point: None  # noqa: E731


class DamagedError(Exception):
    """What was to be sealed or merged is not as it was written."""


@frozen
class Segment:
    """A line of the manifest; `file` is a name in the folder of segments."""

    file: str
    num_rows: int
    first_step: int
    last_step: int
    first_chunk: int
    last_chunk: int
    num_bytes: int = 0
    crc: int = 0  # of the file
    summary: tuple[tuple[Any, ...], ...] = ()  # of each series, for the table `sealed`


def folder_of(file: Path) -> Path:
    return file.with_suffix(".segments")


def list_segments(connection: sqlite3.Connection) -> list[Segment]:
    rows = connection.execute(
        f"SELECT {COLUMNS}, coalesce(num_bytes, 0), coalesce(crc, 0) FROM segments LEFT JOIN segment_sums USING (file) "
        "ORDER BY first_chunk, id"
    )
    return [Segment(*row) for row in rows]


# --- writing files, in a thread of its own


def seal_chunks(file: Path, name: str, last_chunk: int) -> Segment:
    """Write all chunks up to that one into a segment's file. They stay where they are."""
    reached("begun")
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        layouts = {number: unpack_series(packed) for number, packed in connection.execute("SELECT * FROM layouts")}
        chunks = connection.execute(
            "SELECT id, layout, num_steps, steps, times, vals FROM chunks WHERE id <= ? ORDER BY id", (last_chunk,)
        ).fetchall()
        _check_chunks(connection, chunks)
    rows = _rows(chunks, layouts)
    with closing(_duckdb(file)) as database:
        database.register("rows", rows)
        database.execute(NUMBERS)
        written = _copy(database, "numbers", folder_of(file) / name)
        summary = tuple(database.execute(SUMMARY).fetchall())
    steps = rows["step"]
    return Segment(name, len(steps), int(steps.min()), int(steps.max()), chunks[0][0], chunks[-1][0], *written, summary)


def _check_chunks(connection: sqlite3.Connection, chunks: Iterable[tuple[Any, ...]]) -> None:
    """What is damaged must not get a new checksum as if it were whole."""
    if not connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'checksums'").fetchone()[0]:
        return
    noted = dict(connection.execute("SELECT id, crc FROM checksums WHERE tbl = 'chunks'"))
    seed = seed_of(dict(connection.execute("SELECT key, value FROM meta")))
    if any(noted.get(chunk[0]) != checksum(*chunk, seed=seed) for chunk in chunks):
        raise DamagedError("it is damaged; `surefoot doctor` tells how far.")


def merge_segments(file: Path, name: str, segments: Sequence[Segment]) -> Segment:
    """Write some segments into one file. They stay where they are."""
    reached("begun")
    for segment in segments:
        if segment.crc and file_checksum(folder_of(file) / segment.file) != segment.crc:
            raise DamagedError(f"{segment.file} is damaged.")
    sources = ", ".join(_quoted(folder_of(file) / segment.file) for segment in segments)
    with closing(_duckdb(file)) as database:
        written = _copy(database, f"read_parquet([{sources}])", folder_of(file) / name)
    return Segment(
        name,
        sum(segment.num_rows for segment in segments),
        min(segment.first_step for segment in segments),
        max(segment.last_step for segment in segments),
        min(segment.first_chunk for segment in segments),
        max(segment.last_chunk for segment in segments),
        *written,
    )


def _rows(chunks: Iterable[tuple[Any, ...]], layouts: dict[int, list[int]]) -> dict[str, Any]:
    import numpy as np

    parts: dict[str, list[Any]] = {name: [] for name in ("series", "step", "time", "value", "chunk")}
    for number, layout, *packed in chunks:
        columns, series = unpack(*packed), np.array(layouts[layout], np.int32)
        parts["series"].append(np.repeat(series, len(columns.steps)))
        parts["step"].append(np.tile(columns.steps, len(series)))
        parts["time"].append(np.tile(columns.times, len(series)))
        parts["value"].append(columns.values.ravel())
        parts["chunk"].append(np.full(columns.values.size, number, np.int64))
    return {name: np.concatenate(arrays) for name, arrays in parts.items()}


def _duckdb(file: Path) -> Any:
    import duckdb  # here, because few runs are so long that they need it

    spill = str(folder_of(file) / "spill.tmp")
    return duckdb.connect(":memory:", config={"threads": 1, "memory_limit": MEMORY, "temp_directory": spill})


def _copy(database: Any, source: str, target: Path) -> tuple[int, int]:
    """Whole or not at all: also after a power cut nobody finds half of a file under its name. Its size and checksum."""
    target.parent.mkdir(exist_ok=True)
    unfinished = target.with_suffix(".tmp")
    database.execute(f"COPY (SELECT * FROM {source} {ORDER}) TO {_quoted(unfinished)} ({FORMAT})")
    with unfinished.open("rb+") as written:
        os.fsync(written.fileno())
    reached("written")
    size_and_checksum = unfinished.stat().st_size, file_checksum(unfinished)
    unfinished.replace(target)
    reached("named")
    return size_and_checksum


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


# --- bringing them in, in the writer's thread


def bring_in(store: Store, segment: Segment, replaced: Sequence[Segment] = ()) -> None:
    """Into the manifest, in place of its chunks or of older segments: in one transaction."""
    with store.transaction():
        values = (segment.file, segment.num_rows, segment.first_step, segment.last_step)
        store.connection.execute(
            f"INSERT INTO segments ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
            (*values, segment.first_chunk, segment.last_chunk),
        )
        store.connection.execute(ADD_SEGMENT_SUM, (segment.file, segment.num_bytes, segment.crc))
        reached("listed")
        if replaced:
            for table in ("segments", "segment_sums"):
                store.connection.executemany(f"DELETE FROM {table} WHERE file = ?", [(old.file,) for old in replaced])
        else:
            store.connection.executemany(ADD_SEALED, segment.summary)
            store.connection.execute("DELETE FROM chunks WHERE id <= ?", (segment.last_chunk,))
        reached("deleted")
    reached("committed")


def sweep(store: Store) -> None:
    """Remove files that no manifest names: what was cut short, and what was merged into others."""
    listed = {segment.file for segment in list_segments(store.connection)}
    folder = folder_of(store.file)
    for file in folder.iterdir() if folder.is_dir() else ():
        if file.name not in listed and file.suffix in (".parquet", ".tmp"):
            with suppress(OSError):  # a reader has it open, where that matters
                file.unlink()
