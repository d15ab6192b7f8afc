"""Parquet files: tables as in CSV, and what Neptune's exporter writes, a row for each value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from surefoot.runlog.exchange.csv_table import read_rows
from surefoot.runlog.exchange.source import About, Point, Say, Source, SourceError, labels

_NEPTUNE = {"run_id", "attribute_path", "attribute_type", "step", "float_value"}
_VALUES = "int_value", "float_value", "bool_value", "string_value"


def parquet_runs(file: Path) -> list[Source]:
    columns = _query(file, "SELECT * FROM read_parquet(?) LIMIT 0")[0]
    if not set(columns) >= _NEPTUNE:
        return [Source(file.stem, (file,), partial(_table, file))]
    runs = [run for (run,) in _query(file, "SELECT DISTINCT run_id FROM read_parquet(?) ORDER BY 1")[1]]
    return [Source(str(run), (file,), partial(_series, file, run), partial(_attributes, file, run)) for run in runs]


def _series(file: Path, run: str, say: Say, step: str | None) -> Iterator[Point]:
    query = (
        "SELECT attribute_path, step, epoch_ms(timestamp), float_value FROM read_parquet(?) "
        "WHERE run_id = ? AND attribute_type = 'float_series' AND float_value IS NOT NULL ORDER BY attribute_path, step"
    )
    for name, at, when, value in _query(file, query, run)[1]:
        yield Point(name, int(at or 0), (when or 0) / 1000, float(value))


def _attributes(file: Path, run: str) -> About:
    """Single values are settings; Neptune's own are below `sys/`."""
    query = (
        f"SELECT attribute_path, {', '.join(_VALUES)} FROM read_parquet(?) "
        "WHERE run_id = ? AND attribute_type IN ('int', 'float', 'bool', 'string')"
    )
    values = {path: next((v for v in found if v is not None), None) for path, *found in _query(file, query, run)[1]}
    name = values.get("sys/name") or values.get("sys/custom_run_id") or run
    own = {path: value for path, value in values.items() if not path.startswith(("sys/", "monitoring/"))}
    return About(own, labels(str(name), str(values.get("sys/group") or "")))


def _table(file: Path, say: Say, step: str | None) -> Iterator[Point]:
    columns, rows = _query(file, "SELECT * FROM read_parquet(?)")
    texts = ((f"row {i}", ["" if value is None else str(value) for value in row]) for i, row in enumerate(rows, 1))
    return read_rows(file, columns, texts, say, step)


def _query(file: Path, query: str, *given: Any) -> tuple[list[str], list[tuple[Any, ...]]]:
    import duckdb

    try:
        with duckdb.connect() as connection:
            answer = connection.execute(query, [str(file), *given])
            columns = [column[0] for column in answer.description or ()]
            return columns, answer.fetchall()
    except duckdb.Error as error:
        raise SourceError(f"{file} can't be read as Parquet: {str(error).splitlines()[0]}") from None
