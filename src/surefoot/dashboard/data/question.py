"""Ask all runs with SQL, within limits."""

from __future__ import annotations

import time
from typing import Any

from surefoot.dashboard.data.shelf import Shelf
from surefoot.runlog.read.runs import Runs
from surefoot.runlog.read.sql import Stop

SECONDS = 30.0
MEMORY = "1GB"
MOST_ROWS = 10_000


def question(shelf: Shelf, sql: str, stop: Stop) -> dict[str, Any]:
    """What is wrong with it is raised as a QueryError."""
    begun = time.monotonic()
    runs: Runs = shelf.runs
    answer = runs.sql(sql, seconds=SECONDS, memory=MEMORY, rows=MOST_ROWS, cut=True, stop=stop)
    try:
        rows = answer.rows()
    finally:
        answer.close()
    return {
        "columns": answer.columns,
        "types": answer.types,
        "rows": rows,
        "is_cut": answer.is_cut,
        "seconds": time.monotonic() - begun,
        "problems": answer.problems,
    }
