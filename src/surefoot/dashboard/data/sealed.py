"""Sealed rows as cells, made by DuckDB where they lie: a million steps of twenty series never come into memory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np

from surefoot.dashboard.data.track import CELL, MOST_ODD, Cells, Odd, cells_of, odd_of
from surefoot.runlog.read.column import Column
from surefoot.runlog.read.error import Say
from surefoot.runlog.read.segment import Part, SealedRows, Segment, read_rows, where_rows
from surefoot.runlog.read.series import Series

MOST_CELLS = 8192  # of a series: about ten for each pixel of a chart
MOST_THREADS = 4  # training may run on the same machine

# NaN is above all numbers here. Filters for what is finite cost a third more, so that only who has other values pays.
_CELLS = """
SELECT series, min(step) AS first, max(step) AS step, max(time) AS time, min(value) AS low, max(value) AS high,
       arg_max(value, step) AS last, count(*) AS count
FROM read_parquet(?) {where} GROUP BY series, step // {width} ORDER BY series, step
"""
_FINITE = """
SELECT series, max(step) AS step, min(value) FILTER (isfinite(value)) AS low,
       max(value) FILTER (isfinite(value)) AS high, count(*) FILTER (NOT isfinite(value)) AS odd
FROM read_parquet(?) {where} GROUP BY series, step // {width} HAVING odd > 0 ORDER BY series, step
"""
_ODD = f"""
SELECT series, step, value FROM read_parquet(?) {{where}} AND NOT isfinite(value)
QUALIFY row_number() OVER (PARTITION BY series ORDER BY step) <= {MOST_ODD} ORDER BY series, step
"""


def cell_width(num_steps: int, num_rows: int) -> int:
    """Steps for a cell: of some rows, more in a long series. Powers of two: few different ones are asked for."""
    apart = max(1, num_steps // max(1, num_rows))
    num = max(CELL * apart, num_steps // MOST_CELLS)
    return 1 << (num - 1).bit_length()


def sealed_cells(
    segments: Sequence[Segment], series: Sequence[Series], part: Part, say: Say, widths: Mapping[int, int]
) -> dict[int, tuple[Cells, Odd]]:
    """By series. Where a file is damaged, rows are read one by one: the others are still found."""
    found: dict[int, tuple[Cells, Odd]] = {}
    files = [str(segment.file) for segment in segments]
    try:
        with duckdb.connect(":memory:", config={"threads": min(MOST_THREADS, os.cpu_count() or 1)}) as connection:
            for width in sorted({widths[one.id] for one in series} if files else ()):
                wanted = [one.id for one in series if widths[one.id] == width]
                found |= _read(connection, files, wanted, part, width)
    except duckdb.Error:
        return {one.id: _slowly(read_rows(segments, say, [one.id], part)) for one in series}
    return found


def _read(
    connection: duckdb.DuckDBPyConnection, files: list[str], series: list[int], part: Part, width: int
) -> dict[int, tuple[Cells, Odd]]:
    def ask(query: str, some: Sequence[int], part: Part) -> dict[str, Any]:
        return connection.execute(query.format(where=where_rows(some, part), width=width), [files]).fetchnumpy()

    rows = ask(_CELLS, series, part)
    lows, highs = np.ma.filled(rows["low"], np.nan), np.ma.filled(rows["high"], np.nan)
    odd_counts = np.zeros(len(lows), np.int64)
    is_odd = ~(np.isfinite(lows) & np.isfinite(highs))
    odd: dict[int, Odd] = {}
    if is_odd.any():
        concerned = np.unique(rows["series"][is_odd]).tolist()
        around = replace(part, first=int(rows["first"][is_odd].min()), last=int(rows["step"][is_odd].max()))
        finite = ask(_FINITE, concerned, around)
        lows[is_odd], highs[is_odd] = (np.ma.filled(finite[name], np.nan) for name in ("low", "high"))
        odd_counts[is_odd] = finite["odd"]
        odd = _odd(ask(_ODD, concerned, around))
    cells = Cells(
        rows["first"], rows["step"], np.ma.filled(rows["time"], np.nan), lows, highs,
        np.ma.filled(rows["last"], np.nan), rows["count"], odd_counts,
    )  # fmt: skip
    numbers, starts = np.unique(rows["series"], return_index=True)
    ends = np.append(starts[1:], len(lows))
    found = {}
    for number, start, end in zip(numbers.tolist(), starts.tolist(), ends.tolist(), strict=True):
        mine = cells.part(start, end)
        some = odd.get(number, Odd(np.empty(0, np.int64), np.empty(0)))
        found[number] = mine, Odd(some.steps, some.values, int(mine.odd.sum()))
    return found


def _odd(rows: dict[str, Any]) -> dict[int, Odd]:
    found = {}
    for number in np.unique(rows["series"]).tolist():
        mine = rows["series"] == number
        found[number] = Odd(rows["step"][mine], np.ma.filled(rows["value"][mine], np.nan))
    return found


def _slowly(rows: SealedRows) -> tuple[Cells, Odd]:
    order = np.argsort(rows.steps, kind="stable")
    column = Column(rows.steps[order], rows.times[order], rows.values[order])
    cells = cells_of(column)
    return cells.merged(np.arange(0, len(cells), CELL)) if len(cells) else cells, odd_of(column)
