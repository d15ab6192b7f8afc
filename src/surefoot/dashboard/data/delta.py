"""New rows, as few as a chart can show."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from surefoot.dashboard.data.encode import TIMES, Numbers
from surefoot.runlog.read.column import Column
from surefoot.runlog.read.connection import snapshot
from surefoot.runlog.read.follow import Cursor, News
from surefoot.runlog.read.process import StoredProcess

MOST_ROWS = 400  # of a series in one message: a fast loop logs thousands between two looks

_GROWN = "SELECT DISTINCT s.name FROM hists h JOIN series s ON s.id = h.series WHERE h.id > ? AND h.id <= ?"


def delta(process: StoredProcess, before: Cursor, news: News) -> list[tuple[str, dict[str, Any]]]:
    """Messages for the page, without findings."""
    found: list[tuple[str, dict[str, Any]]] = []
    series = {one.name: _rows(column) for one, column in news.columns.items() if one.kind == "scalar"}
    params = [
        {"name": one.name, "place": one.place, **_rows(column)}
        for one, column in news.columns.items()
        if one.kind == "param"
    ]
    hists = _grown(process, before, news.cursor) if news.new_hists else []
    if series or params or hists:
        found.append(("rows", {"rank": process.rank, "series": series, "hists": hists, "params": params}))
    if news.events:
        events = [{"rank": process.rank, **dataclasses.asdict(event)} for event in news.events]
        found.append(("events", {"events": events}))
    return found


def _rows(column: Column) -> dict[str, Any]:
    some = thin(column)
    return {
        "steps": Numbers(some.steps),
        "times": Numbers(some.times, form=TIMES),
        "values": Numbers(some.values),
        "count": len(column),
    }


def thin(column: Column, most: int = MOST_ROWS) -> Column:
    """Of each part the lowest row, the highest, and the first that is not finite: rows as they were logged."""
    if len(column) <= most:
        return column
    kept = {0, len(column) - 1}
    for part in np.array_split(np.arange(len(column)), most // 4):
        values = column.values[part]
        finite = np.isfinite(values)
        if finite.any():
            kept |= {int(part[np.where(finite, values, np.inf).argmin()])}
            kept |= {int(part[np.where(finite, values, -np.inf).argmax()])}
        if not finite.all():
            kept.add(int(part[int(np.argmin(finite))]))
    places = np.array(sorted(kept))
    return Column(column.steps[places], column.times[places], column.values[places])


def _grown(process: StoredProcess, before: Cursor, now: Cursor) -> list[str]:
    with snapshot(process.file) as connection:
        return [name for (name,) in connection.execute(_GROWN, (before.hist, now.hist))]
