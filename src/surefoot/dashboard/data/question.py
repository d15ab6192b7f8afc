"""Ask all runs with SQL, within limits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.runlog.box.box import Question
from surefoot.runlog.box.boxes import Boxes, Stop

if TYPE_CHECKING:
    from surefoot.runlog.remote.runs import RemoteRuns

SECONDS = 30.0
MEMORY = "1GB"
MOST_ROWS = 10_000
MOST_BYTES = 32_000_000


def answer_parts(folder: Path, boxes: Boxes, sql: str, stop: Stop) -> Iterator[dict[str, Any]]:
    """The columns, then rows as they come, then how it ended. What is wrong with it is raised as a QueryError."""
    begun = time.monotonic()
    asked = Question(sql, folder, seconds=SECONDS, rows=MOST_ROWS, bytes=MOST_BYTES, cut=True)
    with boxes.asked(asked, stop) as answer:
        yield {"columns": answer.columns, "types": answer.types, "problems": answer.problems}
        for batch in answer.batches():
            yield {"rows": batch}
        yield {"is_cut": answer.is_cut, "seconds": time.monotonic() - begun}


def remote_parts(find: Callable[[], RemoteRuns], sql: str) -> Iterator[dict[str, Any]]:
    """The same of an address: in this process, which knows how to get there."""
    begun = time.monotonic()
    answer = find().sql(sql, seconds=SECONDS, memory=MEMORY, rows=MOST_ROWS, cut=True)
    try:
        yield {"columns": answer.columns, "types": answer.types, "problems": answer.problems}
        for batch in answer.batches():
            yield {"rows": batch}
        yield {"is_cut": answer.is_cut, "seconds": time.monotonic() - begun}
    finally:
        answer.close()
