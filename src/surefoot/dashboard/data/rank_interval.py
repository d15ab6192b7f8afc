"""Between which ranks a group of runs lies, as far as the spread of its runs tells: never more than the data give.

Each pair of groups is compared by Welch's t-test, and Bonferroni's correction makes all comparisons hold together. A
group is surely behind those that are surely better, and before those that are surely worse; that is all its rank says
(Mogstad, Romano, Shaikh and Wilhelm, "Inference for Ranks", 2024). One run alone has no spread: nothing is sure of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95  # that all ranks lie where it is said
MOST_GROUPS = 300  # of which all pairs are compared

Floats = NDArray[np.float64]


def rank_intervals(groups: Sequence[Sequence[float] | None]) -> list[tuple[int, int]]:
    """The best and worst rank of each, from 1, where low values are good. None: may be anywhere.

    Equal values count once: runs with the same seed are one observation, however often they were made.
    """
    distinct = [sorted(set(values)) if values is not None else [] for values in groups]
    usable = [place for place, values in enumerate(distinct) if len(values) > 1]
    ranks = [(1, len(groups))] * len(groups)
    if not 1 < len(usable) <= MOST_GROUPS:
        return ranks
    nums = np.array([len(distinct[place]) for place in usable], np.float64)
    means = np.array([np.mean(distinct[place]) for place in usable])
    errors = np.array([np.var(distinct[place], ddof=1) for place in usable]) / nums
    one, two = np.triu_indices(len(usable), 1)
    error = errors[one] + errors[two]
    with np.errstate(divide="ignore", invalid="ignore"):
        score = (means[one] - means[two]) / np.sqrt(error)
        freedom = error**2 / (errors[one] ** 2 / (nums[one] - 1) + errors[two] ** 2 / (nums[two] - 1))
    told = np.isfinite(score) & np.isfinite(freedom)
    chance = np.ones(len(one))
    chance[told] = two_sided(score[told], freedom[told])
    is_sure = chance < (1 - CONFIDENCE) / len(one)
    better, worse = np.zeros(len(usable), int), np.zeros(len(usable), int)
    for winner, loser in ((one, two), (two, one)):
        wins = is_sure & (means[winner] < means[loser])
        np.add.at(better, loser[wins], 1)
        np.add.at(worse, winner[wins], 1)
    for number, place in enumerate(usable):
        ranks[place] = 1 + int(better[number]), len(groups) - int(worse[number])
    return ranks


def two_sided(score: Floats, freedom: Floats) -> Floats:
    """How likely Student's t is farther from 0 than the score, on either side."""
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + score**2))


def incomplete_beta(a: Floats, b: float, x: Floats) -> Floats:
    """Regularised, by the continued fraction of Lentz, which converges fast on the side of the mean."""
    swap = x > (a + 1) / (a + b + 2)
    first, second = np.where(swap, b, a), np.where(swap, a, b)
    at = np.clip(np.where(swap, 1 - x, x), 1e-300, 1.0)
    gamma: Any = np.vectorize(math.lgamma, otypes=[float])
    log_front = gamma(a + b) - gamma(a) - gamma(np.full_like(a, b))
    front = np.exp(log_front + first * np.log(at) + second * np.log1p(-np.minimum(at, 1 - 1e-16))) / first
    found = front * _fraction(first, second, at)
    clipped: Floats = np.clip(np.where(swap, 1 - found, found), 0.0, 1.0)
    return clipped


def _fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    tiny = 1e-300
    c, d = np.ones_like(x), 1 - (a + b) * x / (a + 1)
    d = 1 / np.where(np.abs(d) < tiny, tiny, d)
    value = d.copy()
    for m in range(1, 300):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 + factor * d, 1 + factor / c
            d, c = 1 / np.where(np.abs(d) < tiny, tiny, d), np.where(np.abs(c) < tiny, tiny, c)
            step = c * d
            value = value * step
        if np.all(np.abs(step - 1) < 1e-12):
            break
    return value
