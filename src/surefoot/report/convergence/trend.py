"""Trends that noise does not explain: by ranks and medians, so that outliers count like any other value."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

MOST_CORRELATION = 0.95  # beyond, a test has nothing to go by


def rise_score(values: NDArray[np.float64]) -> float:
    """How far the values rise (above 0) or fall, in standard deviations of what chance does: the Mann-Kendall test."""
    n, num_rises = len(values), _num_rises(values)
    _, ties = np.unique(values, return_counts=True)
    variance = (n * (n - 1) * (2 * n + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    if variance <= 0 or abs(num_rises) <= 1:  # all values are the same, or next to nothing
        return 0.0
    return math.copysign(abs(num_rises) - 1, num_rises) / math.sqrt(variance)


def agreement(values: NDArray[np.float64]) -> float:
    """Kendall's tau with time: 1 if every pair rises, -1 if every pair falls."""
    return 2 * _num_rises(values) / (len(values) * (len(values) - 1))


def _num_rises(values: NDArray[np.float64]) -> float:
    """Rising pairs less falling pairs."""
    return float(np.triu(np.sign(values[None, :] - values[:, None]), 1).sum())


def slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The median of the slopes between all pairs: Theil and Sen's estimate."""
    slopes = _slopes(x, y)
    return float(np.median(slopes)) if len(slopes) else 0.0


def slope_range(x: NDArray[np.float64], y: NDArray[np.float64], sure: float) -> tuple[float, float]:
    """The slopes that a test which asks for `sure` standard deviations would not rule out."""
    slopes, n = np.sort(_slopes(x, y)), len(x)
    if not len(slopes):
        return 0.0, 0.0
    apart = sure * math.sqrt(n * (n - 1) * (2 * n + 5) / 18) * _inflation(x, y)
    low, high = (len(slopes) - apart) / 2, (len(slopes) + apart) / 2
    return float(slopes[max(0, math.floor(low))]), float(slopes[min(len(slopes) - 1, math.ceil(high))])


def careful_rise_score(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The same for values whose noise is correlated from one to the next: swings are no trend."""
    return rise_score(y) / _inflation(x, y)


def _slopes(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    first, second = np.triu_indices(len(x), 1)
    apart = x[second] - x[first]
    slopes: NDArray[np.float64] = (y[second] - y[first])[apart > 0] / apart[apart > 0]
    return slopes


def _inflation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """By how much correlation from one value to the next widens what chance does."""
    left = y - slope(x, y) * x
    left = left - left.mean()
    power = float((left * left).sum())
    correlation = float((left[1:] * left[:-1]).sum()) / power if power > 0 else 0.0
    correlation = min(max(correlation, 0.0), MOST_CORRELATION)
    return math.sqrt((1 + correlation) / (1 - correlation))
