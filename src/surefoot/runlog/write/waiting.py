"""Rows that are handed over some at a time.

After a step of training the caches hold nothing of ours, and the write that saves a row from a SIGKILL costs more than
all else: a row alone costs several times what it costs as one of many. So rows wait for each other for a moment, if the
next one can be expected within it; where steps take longer than that, each is handed over at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from time import time as now
from typing import Any, Protocol

PATIENCE_SECONDS = 0.1  # what a SIGKILL may lose of them; a commit is made about three times a second
LONGEST_PACE = 10 * PATIENCE_SECONDS  # which is forgotten after about ten rows
FADING = 0.8  # of the pace, a row: a step has several rows, one right after the other


class HandOver(Protocol):
    def __call__(self, step: int, values: Mapping[str, Any], time: float | None = None, *, more: bool = False) -> None:
        """`more` of them follow at once."""


class WaitingRows:
    """Any thread adds and hands over, a signal handler too: what a deque does can't be interrupted half-way."""

    def __init__(self, hand_over: HandOver) -> None:
        self._hand_over = hand_over
        self._rows: deque[tuple[int, Mapping[str, Any], float]] = deque()
        self._due = 0.0
        self._last = 0.0  # when the newest came
        self._pace = 0.0  # seconds until the next one may come

    def add(self, step: int, values: Mapping[str, Any], time: float | None = None) -> None:
        """The values must stay as they are."""
        clock = now()
        gap, self._last = clock - self._last, clock
        self._pace = max(min(gap, LONGEST_PACE), FADING * self._pace)
        if not self._rows:
            self._due = clock + PATIENCE_SECONDS
        self._rows.append((step, values, clock if time is None else time))
        if clock + self._pace > self._due or gap < 0:  # the next may be late; or the clock was set
            self.hand_over()

    def hand_over(self) -> None:
        rows = self._rows
        while rows:
            try:
                step, values, time = rows.popleft()
            except IndexError:  # somebody else is at it
                return
            self._hand_over(step, values, time, more=bool(rows))
