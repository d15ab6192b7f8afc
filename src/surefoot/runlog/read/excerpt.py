"""Lines of source that were stored with findings."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from surefoot.runlog.read.connection import has_table


def read_excerpts(connection: sqlite3.Connection) -> list[dict[str, Any] | None]:
    """One for each finding, in their order. Older logs have none."""
    numbers = [number for (number,) in connection.execute("SELECT id FROM findings ORDER BY id")]
    stored = {}
    if has_table(connection, "excerpts"):
        stored = {number: (first, text) for number, first, text in connection.execute("SELECT * FROM excerpts")}
    return [_excerpt(*stored.get(number, (0, "[]"))) for number in numbers]


def _excerpt(first: int, text: str) -> dict[str, Any] | None:
    try:
        lines = json.loads(text)
    except ValueError:
        return None
    if not isinstance(lines, list) or not lines:
        return None
    return {"first": first, "lines": [str(line) for line in lines]}
