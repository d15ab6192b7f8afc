"""Rows that are handed over some at a time.

After a step of training the caches hold nothing of ours: a row alone costs several times what it costs as one of many.
So rows wait for the next sweep of the tail, which comes 25 times a second, or until there are many.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from time import time as now
from typing import Any

MANY, LATE_SECONDS = 256, 0.045  # rows that are so many or so old are handed over by whoever adds: the sweep is late
LOCK_SECONDS = 0.02  # how long training waits for another thread that hands over, which takes less
SURE_SECONDS = 5.0  # how long a commit or the end of the run does, on a machine that is overloaded

Waiting = tuple[int, Mapping[str, Any], float]  # step, values and time
HandOver = Callable[[Iterator[Waiting]], None]  # takes all; those that come after a failure go on waiting


class WaitingRows:
    """Any thread adds and hands over, a signal handler too: what a deque does can't be interrupted half-way."""

    def __init__(self, hand_over: HandOver) -> None:
        self._hand_over = hand_over
        self._rows: deque[Waiting] = deque()
        self._oldest = 0.0  # when it came
        self._lock = threading.RLock()  # held by whoever hands over; reentrant, as a signal handler may log

    def add(self, step: int, values: Mapping[str, Any], time: float | None = None) -> None:
        """The values must stay as they are."""
        clock, rows = now(), self._rows
        if not rows:
            self._oldest = clock
        rows.append((step, values, clock if time is None else time))
        if len(rows) >= MANY or not -LATE_SECONDS < clock - self._oldest < LATE_SECONDS:
            self.hand_over()

    def hand_over(self, wait_seconds: float = LOCK_SECONDS) -> None:
        """After so long also without the lock: a signal handler that waits for us may have stopped its holder."""
        is_held = self._lock.acquire(timeout=wait_seconds)
        try:
            if self._rows:
                self._hand_over(self._taken())
        finally:
            if is_held:
                self._lock.release()

    def _taken(self) -> Iterator[Waiting]:
        rows = self._rows
        while rows:
            try:
                row = rows.popleft()
            except IndexError:  # somebody else is at it
                return
            yield row
