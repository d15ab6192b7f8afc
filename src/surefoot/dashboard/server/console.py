"""What libraries report, on our console: one line for what failed, nothing else."""

from __future__ import annotations

import logging
from collections.abc import Callable

LOGGERS = ("uvicorn.error", "asyncio")


class OneLine(logging.Handler):
    """Tracebacks and advice of libraries are for whoever develops this; a user is told what failed."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        told = record.getMessage().strip().splitlines()[:1] if error is None else [f"{type(error).__name__}: {error}"]
        self._say(f"the dashboard could not answer a request: {' '.join(' '.join(told).split())[:500]}")


def quiet(say: Callable[[str], None]) -> None:
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [OneLine(say)]
        logger.propagate = False
        logger.setLevel(logging.ERROR)
