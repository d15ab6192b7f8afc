"""A long series as few buckets: what a chart of so many pixels can show, and nothing it must not hide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surefoot.facts.frozen import frozen
from surefoot.runlog.read.column import Column

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@frozen
class Buckets:
    """Equally wide ranges of steps, those without a value left out. Values that are not finite are counted apart."""

    first_steps: NDArray[np.int64]  # of the values in each bucket
    last_steps: NDArray[np.int64]
    lows: NDArray[np.float64]  # of finite values; NaN if there is none
    highs: NDArray[np.float64]
    counts: NDArray[np.int64]  # of all values
    num_nan: NDArray[np.int64]
    num_inf: NDArray[np.int64]
    num_negative_inf: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.counts)


def bucket(column: Column, num: int, first: int | None = None, last: int | None = None) -> Buckets:
    """Cut the steps from `first` to `last`, both included, into at most `num` buckets."""
    import numpy as np

    if num < 1:
        raise ValueError(f"num must be at least 1, got {num}.")
    steps, values = column.steps, column.values
    start = 0 if first is None else int(np.searchsorted(steps, first, "left"))
    end = len(steps) if last is None else int(np.searchsorted(steps, last, "right"))
    steps, values = steps[start:end], values[start:end]
    if not len(steps):
        none, nothing = np.empty(0, np.int64), np.empty(0, np.float64)
        return Buckets(none, none, nothing, nothing, none, none, none, none)
    starts = _starts(steps, num, int(steps[0]) if first is None else first, int(steps[-1]) if last is None else last)
    ends = np.append(starts[1:], len(steps))
    finite = np.isfinite(values)
    lows = np.minimum.reduceat(np.where(finite, values, np.inf), starts)
    highs = np.maximum.reduceat(np.where(finite, values, -np.inf), starts)
    empty = lows > highs
    lows[empty] = highs[empty] = np.nan
    odd = np.zeros((3, len(starts)), np.int64)
    if not finite.all():
        kinds = (np.isnan(values), np.isposinf(values), np.isneginf(values))
        odd = np.array([np.add.reduceat(kind, starts, dtype=np.int64) for kind in kinds])
    return Buckets(steps[starts], steps[ends - 1], lows, highs, ends - starts, odd[0], odd[1], odd[2])


def _starts(steps: NDArray[np.int64], num: int, first: int, last: int) -> NDArray[np.intp]:
    """Where each bucket with a value begins."""
    import numpy as np

    width = max(1, -(-(last - first + 1) // num))
    edges = first + width * np.arange(num, dtype=np.int64)
    return np.unique(np.searchsorted(steps, edges[edges <= steps[-1]], "left"))
