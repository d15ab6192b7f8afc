"""Bring what a query reads into DuckDB: unsealed rows and small tables as they are, segments as views."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np

from surefoot.runlog.media.kind import MEDIA
from surefoot.runlog.read.column import read_chunks
from surefoot.runlog.read.connection import has_table, snapshot
from surefoot.runlog.read.error import RunLogError, Unreadable
from surefoot.runlog.read.process import StoredProcess
from surefoot.runlog.read.segment import read_manifest, whole
from surefoot.runlog.read.series import read_series
from surefoot.runlog.read.sql.facts import step_row, strict_json
from surefoot.runlog.read.sql.fill import check_numbers, create, fill, rows
from surefoot.runlog.read.sql.media import cell_rows, media_rows
from surefoot.runlog.read.sql.views import VIEWS
from surefoot.runlog.read.summary import summarize
from surefoot.runlog.schema import FINDING_COLUMNS

if TYPE_CHECKING:
    from surefoot.runlog.read.run import Run

_PROCESS = {"process": "INTEGER", "run": "VARCHAR", "rank": "INTEGER"}
_SERIES = {"process": "INTEGER", "series": "INTEGER", "kind": "VARCHAR", "name": "VARCHAR", "place": "VARCHAR"}
_UNSEALED = {"process": "INTEGER", "series": "INTEGER", "step": "BIGINT", "time": "DOUBLE", "value": "DOUBLE"}
_SEGMENT = {"file": "VARCHAR", "process": "INTEGER"}
_SMALL = ("steps", "findings", "events", "hists", "media", "cells")


class Loader:
    """Loads the tables that are asked for. `problems` is what could not be read; `files` are the segments used."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, runs: Sequence[Run | Unreadable], *, without: frozenset[Path],
        last_try: bool,
    ) -> None:  # fmt: skip
        self.problems: list[str] = []
        self.files: list[Path] = []
        self._connection = connection
        self._runs = runs
        self._without = without
        self._last_try = last_try

    def load(self, tables: frozenset[str]) -> None:
        for name, types in VIEWS.items():
            if name not in ("scalars", "params"):
                create(self._connection, name, types)
        if "runs" in tables:
            lines = [dataclasses.astuple(line) for line in summarize(self._runs)]
            rows(self._connection, "runs", VIEWS["runs"], lines)
        if "settings" in tables:
            settings = [
                (run.name, *row) for run in self._runs if not isinstance(run, Unreadable) for row in _settings(run)
            ]
            rows(self._connection, "settings", VIEWS["settings"], settings)
        for run in self._runs:
            if isinstance(run, Unreadable):
                self.problems.append(f"run {run.name} can't be read: {run.why}")
            else:
                self.problems += run.problems
        for name in _SMALL:
            if name in tables:
                self._load_small(name)
        self._load_series(filled=bool(tables & {"scalars", "params"}))

    def _processes(self) -> list[tuple[str, StoredProcess]]:
        return [
            (run.name, process) for run in self._runs if not isinstance(run, Unreadable) for process in run.processes
        ]

    def _load_small(self, name: str) -> None:
        found: list[tuple[Any, ...]] = []
        for run, process in self._processes():
            try:
                stored = [(run, process.rank, *row) for row in self._read_small(name, process)]
                check_numbers(VIEWS[name], stored)
                found += stored
            except (RunLogError, ValueError, KeyError, TypeError) as error:
                self.problems.append(f"{name} of {process.file} can't be read: {error}")
        rows(self._connection, name, VIEWS[name], found)

    def _read_small(self, name: str, process: StoredProcess) -> list[tuple[Any, ...]]:
        if name == "media":
            return media_rows(process)
        if name == "cells":
            return cell_rows(process, self.problems.append)
        with snapshot(process.file) as connection:
            return _READERS[name](connection)

    def _load_series(self, *, filled: bool) -> None:
        processes = self._processes() if filled else []
        found = _Found()
        for i, (_, process) in enumerate(processes):
            try:
                self._read_process(i, process, found)
            except RunLogError as error:
                self.problems.append(str(error))
        known = [(i, run, p.rank) for i, (run, p) in enumerate(processes)]
        series_tables(self._connection, known, found.series, found.segments)
        if found.unsealed:
            columns = [np.concatenate(parts) for parts in zip(*found.unsealed, strict=True)]
            fill(self._connection, "_unsealed", _UNSEALED, columns)
        for view in ("scalars", "params"):
            self._connection.execute(series_view(view, [str(file) for file in self.files]))

    def _read_process(self, number: int, process: StoredProcess, found: _Found) -> None:
        with snapshot(process.file) as connection:
            series = read_series(connection)
            pieces = read_chunks(connection, [one.id for one in series])
            segments = [
                one for one in read_manifest(connection, process.file) if one.file.absolute() not in self._without
            ]
        segments = whole(segments, self.problems.append, last_try=self._last_try)
        files = [segment.file.absolute() for segment in segments]
        self.files += files
        found.series += [(number, one.id, one.kind, one.name, one.place) for one in series]
        found.segments += [(str(file), number) for file in files]
        for series_id, piece in pieces:
            numbers = np.full(len(piece), number), np.full(len(piece), series_id)
            found.unsealed.append((*numbers, piece.steps, piece.times, piece.values))


@dataclasses.dataclass(slots=True)
class _Found:
    """Rows of all processes, which DuckDB takes much faster at once."""

    series: list[tuple[Any, ...]] = dataclasses.field(default_factory=list)
    segments: list[tuple[str, int]] = dataclasses.field(default_factory=list)
    unsealed: list[tuple[Any, ...]] = dataclasses.field(default_factory=list)


def series_tables(
    connection: duckdb.DuckDBPyConnection, processes: Sequence[tuple[int, str, int | None]],
    series: Sequence[tuple[Any, ...]], segments: Sequence[tuple[str, int]],
) -> None:  # fmt: skip
    """What `series_view` needs: processes by number with run and rank, their series, and whose each segment is."""
    create(connection, "_unsealed", _UNSEALED)
    for table, types, given in (
        ("_process", _PROCESS, processes), ("_series", _SERIES, series), ("_segment", _SEGMENT, segments)
    ):  # fmt: skip
        create(connection, table, types)
        rows(connection, table, types, given)


def series_view(name: str, files: Sequence[str]) -> str:
    """Rows of both kinds get their run, rank and names; DuckDB reads only what a query asks of the files."""
    homes = {"run": "p", "rank": "p", "name": "s", "place": "s"}
    columns = ", ".join(f"{homes.get(column, 'r')}.{column}" for column in VIEWS[name])
    kind = name.removesuffix("s")
    sources = ["SELECT process, series, step, time, value FROM _unsealed"]
    if files:
        listed = ", ".join(map(quote, files))
        sources.append(
            "SELECT f.process, q.series, q.step, q.time, q.value "
            f"FROM read_parquet([{listed}], filename = true) q JOIN _segment f ON f.file = q.filename"
        )
    selects = [
        f"SELECT {columns} FROM ({source}) r JOIN _series s ON s.process = r.process AND s.series = r.series "
        f"JOIN _process p ON p.process = r.process WHERE s.kind = '{kind}'"
        for source in sources
    ]
    return f"CREATE VIEW {name} AS {' UNION ALL '.join(selects)}"


def quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _settings(run: Run) -> Iterator[tuple[Any, ...]]:
    for name, setting in run.settings.items():
        yield name, setting.text, setting.number, setting.type, setting.source


def _steps(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    stored = connection.execute("SELECT json FROM records WHERE kind = 'StepFacts' ORDER BY id")
    return [step_row(text) for (text,) in stored]


def _findings(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    stored = connection.execute(f"SELECT {', '.join(FINDING_COLUMNS)} FROM findings ORDER BY id")
    return [(*row[:-1], strict_json(row[-1])) for row in stored]


def _events(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    if not has_table(connection, "events"):
        return []
    select = "SELECT step, time, kind, text FROM events WHERE kind != ? ORDER BY id"
    return connection.execute(select, (MEDIA,)).fetchall()


def _hists(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """One row a bin."""
    if not has_table(connection, "hists"):
        return []
    stored = connection.execute(
        "SELECT s.name, h.step, h.time, e.edges, h.counts FROM hists h JOIN series s ON s.id = h.series "
        "JOIN edges e ON e.id = h.edges ORDER BY h.id"
    )
    found = []
    for name, step, time, packed_edges, packed_counts in stored:
        edges, counts = np.frombuffer(packed_edges, "<f8").tolist(), np.frombuffer(packed_counts, "<i8").tolist()
        found += [(name, step, time, low, high, n) for low, high, n in zip(edges[:-1], edges[1:], counts, strict=True)]
    return found


_READERS = {"steps": _steps, "findings": _findings, "events": _events, "hists": _hists}
