"""A series, and the same in few points."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.facts.frozen import frozen

MOST_BLOCKS = 150
LEAST_IN_BLOCK = 2


@frozen
class Curve:
    """What is not finite is kept apart."""

    name: str
    steps: NDArray[np.float64]  # of the finite values
    values: NDArray[np.float64]
    bad_since: int | None = None  # the step from which on nothing was finite any more
    last_step: int = 0

    @staticmethod
    def of(name: str, steps: ArrayLike, values: ArrayLike) -> Curve:
        x, y = np.asarray(steps, dtype=np.float64), np.asarray(values, dtype=np.float64)
        finite = np.isfinite(y)
        bad_since = None
        if len(y) and not finite[-1]:
            good = np.flatnonzero(finite)
            bad_since = int(x[good[-1] + 1 if len(good) else 0])
        return Curve(name, x[finite], y[finite], bad_since, int(x[-1]) if len(x) else 0)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def lowest(self) -> tuple[float, int]:
        """The value, and its step."""
        place = int(self.values.argmin())
        return float(self.values[place]), int(self.steps[place])

    def blocks(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Steps and medians of parts with equally many values."""
        num = min(MOST_BLOCKS, len(self) // LEAST_IN_BLOCK)
        parts = np.array_split(np.arange(len(self)), num)
        middle = [float(np.median(self.values[part])) for part in parts]
        return np.array([self.steps[part].mean() for part in parts]), np.array(middle)
