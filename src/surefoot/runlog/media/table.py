"""Texts and tables."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from surefoot.runlog.media.kind import MOST_BYTES, Medium

MOST_TEXT = 1_000_000  # characters
MOST_ROWS, MOST_COLUMNS, MOST_CELL = 5000, 100, 1000


class Text:
    """A text to log; a string is taken as one."""

    def __init__(self, text: str) -> None:
        self._text = text[:MOST_TEXT]
        self._num = len(text)
        self.num_bytes = 4 * len(self._text)

    def encode(self) -> Medium:
        """As it is stored; the end of a long one is left out."""
        cut = {"reduced": f"the first of {self._num:,} characters"} if self._num > len(self._text) else {}
        content = self._text.encode("utf-8", "backslashreplace")[:MOST_BYTES]
        return Medium("text", content, {"characters": len(self._text), **cut})


class Table:
    """A table to log: names of columns and rows, columns by name, or a data frame of pandas or Polars."""

    def __init__(self, columns: Any, rows: Iterable[Sequence[Any]] | None = None) -> None:
        if rows is None:
            names, rows = _of_columns(columns)
        else:
            names = [str(name) for name in columns]
        kept: list[list[Any]] = []
        self._num_rows, self._num_columns = 0, len(names)
        for row in rows:
            if len(row) != len(names):
                raise ValueError(f"a row of a table with {len(names)} columns has {len(row)} cells.")
            self._num_rows += 1
            if self._num_rows <= MOST_ROWS:
                kept.append([_cell(value) for value in row[:MOST_COLUMNS]])
        self._names, self._rows = [name[:MOST_CELL] for name in names[:MOST_COLUMNS]], kept
        self.num_bytes = 100 * len(kept) * max(1, len(self._names))

    def encode(self) -> Medium:
        """As it is stored; what is beyond the limits is left out."""
        rows = self._rows
        content = self._json(rows)
        while len(content) > MOST_BYTES:
            rows = rows[: len(rows) // 2]
            content = self._json(rows)
        about: dict[str, Any] = {"rows": len(rows), "columns": len(self._names)}
        if (len(rows), len(self._names)) != (self._num_rows, self._num_columns):
            about["reduced"] = f"the first of {self._num_rows:,} rows and {self._num_columns:,} columns"
        return Medium("table", content, about)

    def _json(self, rows: list[list[Any]]) -> bytes:
        return json.dumps({"columns": self._names, "rows": rows}, allow_nan=False).encode()


def _of_columns(given: Any) -> tuple[list[str], Iterable[Sequence[Any]]]:
    if hasattr(given, "itertuples"):  # pandas
        return [str(name) for name in given.columns], given.itertuples(index=False, name=None)
    if hasattr(given, "iter_rows"):  # Polars
        return [str(name) for name in given.columns], given.iter_rows()
    if isinstance(given, Mapping) and len({len(column) for column in given.values()}) <= 1:
        return [str(name) for name in given], list(zip(*given.values(), strict=True))
    raise TypeError("sf.Table takes columns and rows, equally long columns by name, or a data frame.")


def _cell(value: Any) -> Any:
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return str(value)[:MOST_CELL].encode("utf-8", "backslashreplace").decode()
