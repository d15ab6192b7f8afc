"""Mean, spread and slope of the values in a window, kept by sums: a window of thousands costs no more than a short one.

Sums that are added to and taken from lose digits. They are made anew once in a window's length, and whenever what is
left has become small beside what went through: an outlier that has left must not leave its rounding behind.
"""

import math
from collections.abc import Iterable

WORN = 1e-6  # of the largest sum of squares: below, fewer than about 9 digits are left


class Moments:
    """Of steps x and values y, both counted from the first of them."""

    __slots__ = ("_largest", "_left", "_num", "_sx", "_sxx", "_sxy", "_sy", "_syy", "_window", "_x0", "_y0")

    def __init__(self, window: int) -> None:
        self._window = window
        self.renew(())

    def renew(self, pairs: Iterable[tuple[int, float]]) -> None:
        self._num, self._left = 0, self._window
        self._x0, self._y0 = 0, 0.0
        self._sx = self._sy = self._sxx = self._sxy = self._syy = self._largest = 0.0
        for x, y in pairs:
            self.add(x, y)
        self._left = self._window

    def add(self, x: int, y: float) -> None:
        if not self._num:
            self._x0, self._y0 = x, y
        self._left -= 1
        self._change(x, y, 1)

    def drop(self, x: int, y: float) -> None:
        self._change(x, y, -1)

    def _change(self, x: int, y: float, sign: int) -> None:
        dx, dy = x - self._x0, y - self._y0
        self._num += sign
        self._sx += sign * dx
        self._sy += sign * dy
        self._sxx += sign * dx * dx
        self._sxy += sign * dx * dy
        self._syy += sign * dy * dy
        if self._syy > self._largest:
            self._largest = self._syy

    @property
    def is_worn(self) -> bool:
        return self._left <= 0 or self._rest < WORN * self._largest

    @property
    def _rest(self) -> float:
        """The squares of what the mean leaves, summed."""
        return self._syy - self._sy * self._sy / self._num

    @property
    def mean(self) -> float:
        return self._y0 + self._sy / self._num

    @property
    def spread(self) -> float:
        """The standard deviation of a sample."""
        if self._num < 2:
            return 0.0
        return math.sqrt(max(0.0, self._rest) / (self._num - 1))

    @property
    def slope(self) -> float:
        """Of the line of least squares, per step; not a number if all steps are the same."""
        across = self._sxx - self._sx * self._sx / self._num
        return (self._sxy - self._sx * self._sy / self._num) / across if across > 0 else math.nan
