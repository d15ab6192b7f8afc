"""What a command found out about a program, if a run holds that."""

from __future__ import annotations

import json
from typing import Any

from surefoot.runlog.read.run import Run
from surefoot.runlog.write.result import RESULT


def read_result(run: Run) -> dict[str, Any] | None:
    """None for a training, and for what can't be read."""
    text = next((event.text for event in run.first.events() if event.kind == RESULT), None)
    return None if text is None else parse_result(text)


def parse_result(text: str) -> dict[str, Any] | None:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) and isinstance(told.get("of"), str) else None
