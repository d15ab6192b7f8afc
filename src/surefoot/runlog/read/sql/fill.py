"""Put columns into DuckDB. It takes NaN in numpy arrays for NULL; here NaN stays NaN, and None is NULL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import numpy as np

_NULL, _NAN = 1, 2
_INTEGERS = ("INTEGER", "BIGINT", "BOOLEAN")


def fill(connection: duckdb.DuckDBPyConnection, table: str, types: Mapping[str, str], columns: Sequence[Any]) -> None:
    """Append to a table of these types."""
    if not len(columns[0]):
        return
    source: dict[str, Any] = {}
    wanted = []
    for i, (type_, column) in enumerate(zip(types.values(), columns, strict=True)):
        if type_ == "DOUBLE" or type_ in _INTEGERS:
            source[f"c{i}"], source[f"m{i}"] = _numbers(column, np.float64 if type_ == "DOUBLE" else np.int64)
            wanted.append(f"CASE m{i} WHEN {_NULL} THEN NULL WHEN {_NAN} THEN 'nan'::DOUBLE ELSE c{i} END::{type_}")
        else:
            source[f"c{i}"] = np.array([None if value is None else _text(value) for value in column], object)
            wanted.append(f"c{i}::{type_}")
    connection.register("_source", source)
    connection.execute(f'INSERT INTO "{table}" SELECT {", ".join(wanted)} FROM _source')
    connection.unregister("_source")


def rows(
    connection: duckdb.DuckDBPyConnection, table: str, types: Mapping[str, str], given: Sequence[Sequence[Any]]
) -> None:
    if given:
        fill(connection, table, types, list(zip(*given, strict=True)))


def check_numbers(types: Mapping[str, str], given: Sequence[Sequence[Any]]) -> None:
    """TypeError if there is a text where a number belongs: SQLite stores anything in any column."""
    for (name, type_), column in zip(types.items(), zip(*given, strict=True), strict=False):
        if type_ == "DOUBLE" or type_ in _INTEGERS:
            wrong = [value for value in column if not isinstance(value, int | float | None)]
            if wrong:
                raise TypeError(f"{name} must be a number, got {wrong[0]!r}")


def create(connection: duckdb.DuckDBPyConnection, table: str, types: Mapping[str, str]) -> None:
    connection.execute(f'CREATE TABLE "{table}" ({", ".join(f"{name} {type_}" for name, type_ in types.items())})')


def _text(value: Any) -> str:
    """Without the bytes that are no UTF-8, which names of files may hold."""
    return str(value).encode("utf-8", "backslashreplace").decode()


def _numbers(column: Any, dtype: type[np.generic]) -> tuple[Any, Any]:
    """The numbers, and a mark where DuckDB would misread them."""
    if isinstance(column, np.ndarray):
        values: Any = column.astype(dtype, copy=False)
        marks = np.zeros(len(values), np.int8)
    else:
        values = np.array([0 if value is None else value for value in column], dtype)
        marks = np.array([_NULL if value is None else 0 for value in column], np.int8)
    if dtype is np.float64:
        marks[np.isnan(values)] = _NAN
    return values, marks
