"""Ask all runs with SQL, within limits."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from surefoot.runlog.box.box import Question
from surefoot.runlog.box.boxes import Boxes, Stop

SECONDS = 30.0
MEMORY = "1GB"
MOST_ROWS = 10_000
MOST_BYTES = 32_000_000


def question(folder: Path, boxes: Boxes, sql: str, stop: Stop) -> dict[str, Any]:
    """What is wrong with it is raised as a QueryError."""
    begun = time.monotonic()
    asked = Question(sql, folder, seconds=SECONDS, rows=MOST_ROWS, bytes=MOST_BYTES, cut=True)
    with boxes.asked(asked, stop) as answer:
        rows = answer.rows()
    return {
        "columns": answer.columns,
        "types": answer.types,
        "rows": rows,
        "is_cut": answer.is_cut,
        "seconds": time.monotonic() - begun,
        "problems": answer.problems,
    }
