"""Make log files by the schema, without a writer: whatever a test wants to be in them."""

import os
import platform
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import duckdb

from surefoot.runlog.chunk import pack, pack_series, unpack, unpack_series
from surefoot.runlog.process_identity import started
from surefoot.runlog.schema import ADD_CHUNK, ADD_FINDING, ADD_META, ADD_RECORD, SCHEMA_VERSION, TABLES

START = 1_700_000_000.0  # of all times in these files
RUNNING = {"pid": str(os.getpid()), "process_started": started(), "host": platform.node()}
FINISHED = {**RUNNING, "started": "2026-01-15T23:14:05+0100", "ended": "2026-01-15T23:15:05+0100", "reason": "finished"}
FINDING = (
    "stale-gradients",
    "error",
    "2 of 2 step twice",
    "it adds up",
    "clear them",
    "a.py",
    3,
    2,
    5,
    '{"params": 2}',
)

Rows = Sequence[tuple[int, float, Sequence[float]]]


class LogFile:
    """One process's file, open for writing as the writer has it."""

    def __init__(self, file: Path, meta: Mapping[str, str] = FINISHED) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self.file = file
        self.connection = sqlite3.connect(file, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.executescript(TABLES)
        for key, value in {"schema_version": str(SCHEMA_VERSION), "script": "train.py", **meta}.items():
            self.connection.execute(ADD_META, (key, value))

    def series(self, *names: str, kind: str = "scalar", place: str = "") -> int:
        """A layout of these series."""
        numbers = []
        for name in names:
            self.connection.execute(
                "INSERT OR IGNORE INTO series (kind, name, place) VALUES (?, ?, ?)", (kind, name, place)
            )
            numbers += self.connection.execute(
                "SELECT id FROM series WHERE kind = ? AND name = ? AND place = ?", (kind, name, place)
            ).fetchone()
        layout = self.connection.execute("INSERT INTO layouts (series) VALUES (?)", (pack_series(numbers),)).lastrowid
        assert layout is not None
        return layout

    def chunk(self, layout: int, rows: Rows) -> None:
        self.connection.execute(ADD_CHUNK, (layout, *pack(rows)))

    def log(self, steps: Sequence[int], *, size: int = 10, **values: Sequence[float]) -> None:
        """Scalars of these steps, in chunks."""
        layout = self.series(*values)
        rows = [(step, START + step, row) for step, row in zip(steps, zip(*values.values(), strict=True), strict=True)]
        for at in range(0, len(rows), size):
            self.chunk(layout, rows[at : at + size])

    def seal(self) -> Path:
        """All chunks into one segment."""
        rows = []
        layouts = dict(self.connection.execute("SELECT id, series FROM layouts"))
        for number, layout, *packed in self.connection.execute("SELECT * FROM chunks ORDER BY id"):
            chunk = unpack(*packed)
            for series, values in zip(unpack_series(layouts[layout]), chunk.values.tolist(), strict=True):
                rows += [
                    (series, step, time, value, number)
                    for step, time, value in zip(chunk.steps.tolist(), chunk.times.tolist(), values, strict=True)
                ]
        return self.segment(sorted(rows, key=lambda row: row[:2]))

    def segment(self, rows: Sequence[tuple[int, int, float, float, int]]) -> Path:
        folder = self.file.with_suffix(".segments")
        folder.mkdir(exist_ok=True)
        (number,) = self.connection.execute(
            "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'segments'"
        ).fetchone()
        file = folder / f"{number:06}.parquet"
        write_parquet(file, rows)
        steps, chunks = [row[1] for row in rows], [row[4] for row in rows]
        self.connection.execute("BEGIN")
        self.connection.execute(
            "INSERT INTO segments (file, num_rows, first_step, last_step, first_chunk, last_chunk) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (file.name, len(rows), min(steps), max(steps), min(chunks), max(chunks)),
        )
        self.connection.execute("DELETE FROM chunks WHERE id <= ?", (max(chunks),))
        self.connection.execute("COMMIT")
        return file

    def finding(self, number: int = 0, row: tuple[object, ...] = FINDING) -> None:
        self.connection.execute(ADD_FINDING, (number, *row))

    def event(self, step: int, kind: str, text: str) -> None:
        self.connection.execute(
            "INSERT INTO events (step, time, kind, text) VALUES (?, ?, ?, ?)", (step, START + step, kind, text)
        )

    def record(self, kind: str, step: int | None, json: str) -> None:
        self.connection.execute(ADD_RECORD, (kind, step, json))

    def meta(self, **values: str) -> None:
        for key, value in values.items():
            self.connection.execute(ADD_META, (key, value))

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> "LogFile":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def write_parquet(file: Path, rows: Sequence[tuple[int, int, float, float, int]]) -> None:
    with closing(duckdb.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE rows (series INTEGER, step BIGINT, time DOUBLE, value DOUBLE, chunk BIGINT)")
        connection.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", rows)
        quoted = str(file).replace("'", "''")
        connection.execute(f"COPY rows TO '{quoted}' (FORMAT parquet, COMPRESSION zstd)")


def old_beat() -> str:
    return str(time.time() - 3600)
