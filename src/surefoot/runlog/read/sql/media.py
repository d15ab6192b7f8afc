"""Media as rows: their files by path, and the cells of tables."""

from __future__ import annotations

import json
from typing import Any

from surefoot.runlog.read.error import RunLogError, Say
from surefoot.runlog.read.media import parse_table
from surefoot.runlog.read.process import StoredProcess


def media_rows(process: StoredProcess) -> list[tuple[Any, ...]]:
    return [
        (one.name, one.step, one.time, one.number, one.kind, str(one.path), one.num_bytes, json.dumps(one.about))
        for one in process.media()
    ]


def cell_rows(process: StoredProcess, say: Say) -> list[tuple[Any, ...]]:
    """Of all tables; one that can't be read is told."""
    found: list[tuple[Any, ...]] = []
    for one in process.media():
        if one.kind != "table":
            continue
        try:
            columns, rows = parse_table(one.read())
        except RunLogError as error:
            say(str(error))
            continue
        found += [
            (one.name, one.step, line, label, _text(value), _number(value))
            for line, row in enumerate(rows)
            for label, value in zip(columns, row, strict=True)
        ]
    return found


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
