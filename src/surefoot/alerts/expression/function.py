"""The functions of expressions, each of a series by name, most of them over its last N values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from surefoot.alerts.expression.node import Measured, Number
from surefoot.alerts.expression.series import Book, Series, Window

MOST_VALUES = 100_000  # in a window: a few megabytes

Needs = Literal["no window", "a window", "any"]


@dataclass(frozen=True, slots=True)
class Function:
    """`make` binds it to a series; the window's length is 0 where none is given."""

    make: Callable[[Series, int], Number]
    needs: Needs
    least: int = 1  # values in a window
    uses_clock: bool = False


def newest(series: Series, num: int = 0) -> Number:
    return Measured(lambda book: series.value)


def _mean(series: Series, num: int) -> Number:
    window = _window(series, num)
    return Measured(lambda book: window.moments.mean if window.is_full else None)


def _std(series: Series, num: int) -> Number:
    window = _window(series, num)
    return Measured(lambda book: window.moments.spread if window.is_full else None)


def _slope(series: Series, num: int) -> Number:
    window = _window(series, num)
    return Measured(lambda book: window.moments.slope if window.is_full else None)


def _median(series: Series, num: int) -> Number:
    ordered = _ordered(series, num)
    return Measured(lambda book: (ordered[(num - 1) // 2] + ordered[num // 2]) / 2 if len(ordered) == num else None)


def _min(series: Series, num: int) -> Number:
    if not num:
        return Measured(lambda book: series.lowest if series.lowest < math.inf else None)
    ordered = _ordered(series, num)
    return Measured(lambda book: ordered[0] if len(ordered) == num else None)


def _max(series: Series, num: int) -> Number:
    if not num:
        return Measured(lambda book: series.highest if series.highest > -math.inf else None)
    ordered = _ordered(series, num)
    return Measured(lambda book: ordered[-1] if len(ordered) == num else None)


def _zscore(series: Series, num: int) -> Number:
    """How many standard deviations the newest value lies above the mean of the `num` values before it."""
    window = Window(num)
    series.earlier.append(window)

    def measure(book: Book) -> float | None:
        if not window.is_full or series.value is None:
            return None
        away, spread = series.value - window.moments.mean, window.moments.spread
        if spread:
            return away / spread
        return math.copysign(math.inf, away) if away else 0.0

    return Measured(measure)


def _last(series: Series, num: int) -> Number:
    """The newest value, or the one `num` finite values before it."""
    if not num:
        return newest(series)
    window = Window(num)
    series.earlier.append(window)
    return Measured(lambda book: window.values[0][1] if window.is_full else None)


def _age(series: Series, num: int) -> Number:
    return Measured(lambda book: book.now - series.time if series.count else None)


def _count(series: Series, num: int) -> Number:
    return Measured(lambda book: float(series.count))


FUNCTIONS = {
    "age": Function(_age, "no window", uses_clock=True),
    "count": Function(_count, "no window"),
    "last": Function(_last, "any"),
    "max": Function(_max, "any"),
    "mean": Function(_mean, "a window"),
    "median": Function(_median, "a window"),
    "min": Function(_min, "any"),
    "slope": Function(_slope, "a window", least=2),
    "std": Function(_std, "a window", least=2),
    "zscore": Function(_zscore, "a window", least=2),
}


def _window(series: Series, num: int, *, is_sorted: bool = False) -> Window:
    for window in series.windows:  # expressions share them
        if window.num == num and (window.ordered is not None) == is_sorted:
            return window
    window = Window(num, is_sorted=is_sorted)
    series.windows.append(window)
    return window


def _ordered(series: Series, num: int) -> list[float]:
    ordered = _window(series, num, is_sorted=True).ordered
    assert ordered is not None
    return ordered
