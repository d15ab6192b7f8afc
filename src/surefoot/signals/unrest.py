"""Losses, which cost next to nothing to hear, tell when a run that is measured rarely should be looked at closely."""

from collections import deque
from math import inf, isfinite
from statistics import median

LATELY = 8  # losses; fewer may be a bad batch or two
TIMES = 3.0  # the best so far
MOST = 3  # times in a run: looking closely has its price


class Unrest:
    """Of one optimizer. A loss that may fall below zero tells nothing."""

    def __init__(self) -> None:
        self._lately: deque[float] = deque(maxlen=LATELY)
        self._best = inf
        self._num = 0

    def hears(self, loss: float) -> bool:
        """Whether losses have risen far above what they were at their best."""
        if self._num >= MOST or not isfinite(loss):
            return False
        self._lately.append(loss)
        if len(self._lately) < LATELY:
            return False
        now = median(self._lately)
        self._best = min(self._best, now)
        if self._best <= 0 or now < TIMES * self._best:
            return False
        self._num += 1
        self._best = now  # the next time it has to rise as far again
        return True
