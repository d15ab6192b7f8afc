"""SQL over runs at an address: lists from the index, values from segments that DuckDB reads where they are."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import duckdb

from surefoot.runlog.box.error import DataError
from surefoot.runlog.read.error import RunLogError, Say
from surefoot.runlog.read.sql.answer import Answer
from surefoot.runlog.read.sql.check import check
from surefoot.runlog.read.sql.facts import strict_json
from surefoot.runlog.read.sql.fill import create, rows
from surefoot.runlog.read.sql.limits import Limits, fence_names
from surefoot.runlog.read.sql.load import Loader, series_tables, series_view
from surefoot.runlog.read.sql.views import VIEWS
from surefoot.runlog.remote.index import Entry, number

if TYPE_CHECKING:
    from surefoot.runlog.remote.runs import RemoteRuns

INDEXED = frozenset(("runs", "settings", "findings", "scalars", "params"))
PARTS = {"runs": "summary", "settings": "settings", "findings": "findings"}


def ask_remote(runs: RemoteRuns, query: str, **given: Any) -> Answer:
    """As `ask` does. Views that the index has nothing of are loaded from databases, which are small and copied here."""
    limits = Limits(**given)
    connection = duckdb.connect(":memory:")
    try:
        checked = check(query, connection)
        if not checked.tables <= INDEXED:
            loader = Loader(connection, list(runs.load()), without=frozenset(), last_try=True)
            loader.load(checked.tables)
            fence_names(connection, limits, [str(file.absolute()) for file in loader.files])
            return Answer(connection, checked.text, loader.problems, limits)
        problems: list[str] = []
        files = _load(connection, runs, checked.tables, problems.append)
        fence_names(connection, limits, files)
        return Answer(connection, checked.text, problems, limits)
    except (duckdb.Error, DataError, OSError) as error:
        connection.close()
        raise RunLogError(f"{runs.place.address} can't be read: {error}") from None
    except BaseException:
        connection.close()
        raise


def _load(connection: duckdb.DuckDBPyConnection, runs: RemoteRuns, tables: frozenset[str], say: Say) -> list[str]:
    """The files that are read where they are."""
    has_series = bool(tables & {"scalars", "params"})
    parts = {PARTS[name] for name in tables if name in PARTS} | ({"series", "files"} if has_series else set())
    entries = runs.entries(tuple(sorted(parts | {"summary"})))
    for name, types in VIEWS.items():
        if name not in ("scalars", "params"):
            create(connection, name, types)
    lines = {
        "runs": [dataclasses.astuple(dataclasses.replace(one.line(), run=name)) for name, one in entries.items()],
        "settings": [
            (name, label, text, number(value), kind, source)
            for name, one in entries.items()
            for label, text, value, kind, source, _ in one.settings
        ],
        "findings": [(name, *row[:-1], strict_json(row[-1])) for name, one in entries.items() for row in one.findings],
    }
    for view, given in lines.items():
        rows(connection, view, VIEWS[view], given)
    return _load_series(connection, runs, entries if has_series else {}, say)


def _load_series(
    connection: duckdb.DuckDBPyConnection, runs: RemoteRuns, entries: dict[str, Entry], say: Say
) -> list[str]:
    processes: dict[tuple[str, str], int] = {}
    known, series, segments = [], [], []
    for run, entry in entries.items():
        for process, rank, number_, kind, name, place in entry.series:
            if (run, process) not in processes:
                processes[run, process] = len(processes)
                known.append((processes[run, process], run, rank))
            series.append((processes[run, process], number_, kind, name, place))
    for (run, file), place in runs.segments(entries, say).items():
        process = file.partition(".segments/")[0]
        if (run, process) in processes:
            segments.append((place, processes[run, process]))
    series_tables(connection, known, series, segments)
    files = [file for file, _ in segments]
    if not runs.place.is_local and any("://" in file for file in files):
        connection.register_filesystem(runs.place.files)
    for view in ("scalars", "params"):
        connection.execute(series_view(view, files))
    return files
