"""What expressions know of a run: the newest value of each series that they name, and windows of values."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterable

from surefoot.alerts.expression.moments import Moments


class Window:
    """The last `num` finite values of a series, with what is asked about them kept up to date: sums, or their order."""

    def __init__(self, num: int, *, is_sorted: bool = False) -> None:
        self.num = num
        self.moments = Moments(num)
        self.values: deque[tuple[int, float]] = deque()
        self.ordered: list[float] | None = [] if is_sorted else None

    @property
    def is_full(self) -> bool:
        return len(self.values) == self.num

    def add(self, step: int, value: float) -> None:
        if self.is_full:
            self._drop_oldest()
        self.values.append((step, value))
        if self.ordered is not None:
            insort(self.ordered, value)
            return
        self.moments.add(step, value)
        if self.moments.is_worn:
            self.moments.renew(self.values)

    def _drop_oldest(self) -> None:
        step, value = self.values.popleft()
        if self.ordered is not None:
            del self.ordered[bisect_left(self.ordered, value)]
        else:
            self.moments.drop(step, value)


class Series:
    """Values that are not finite are seen as the newest, and passed over by windows."""

    def __init__(self) -> None:
        self.value: float | None = None
        self.time = 0.0
        self.count = 0
        self.lowest = math.inf
        self.highest = -math.inf
        self.windows: list[Window] = []
        self.earlier: list[Window] = []  # that get a value only when the next one comes, to compare it with them
        self._waiting: tuple[int, float] | None = None  # for that

    def add(self, step: int, time: float, value: float) -> None:
        if self._waiting is not None:
            for window in self.earlier:
                window.add(*self._waiting)
            self._waiting = None
        self.value, self.time = value, time
        self.count += 1
        if math.isfinite(value):
            self._waiting = (step, value)
            self.lowest, self.highest = min(self.lowest, value), max(self.highest, value)
            for window in self.windows:
                window.add(step, value)


class Book:
    """Series by name. Expressions say what they need when they are put in; then rows are added."""

    def __init__(self) -> None:
        self.series: dict[str, Series] = {}
        self.step = 0  # of the newest row
        self.now = 0.0  # unix time: of the newest row, or of looking

    def want(self, name: str) -> Series:
        return self.series.setdefault(name, Series())

    def add(self, names: Iterable[str], step: int, time: float, values: Iterable[float]) -> None:
        self.step, self.now = step, time
        for name, value in zip(names, values, strict=True):
            series = self.series.get(name)
            if series is not None:
                series.add(step, time, value)

    @property
    def unseen(self) -> list[str]:
        """Names that an expression waits for in vain so far."""
        return [name for name, series in self.series.items() if not series.count]
