"""What a loss curve did in the end. Calibrated on synthetic curves in the tests; in doubt it says less."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.facts.frozen import frozen
from surefoot.report.convergence.curve import Curve
from surefoot.report.convergence.trend import careful_rise_score, slope, slope_range

LEAST_VALUES = 120  # fewer make no last third that a test could judge: of 60, noise alone "diverged" in one of 12
LEAST_BLOCKS = 20  # in the last third
LEAST_END = 6  # blocks that stand for the beginning, and for the end
FAR = 3.0  # times what the beginning ranges over
SURE = 3.0  # standard deviations: chance alone gets there once in 740 curves
LITTLE = 0.01  # of the level, and of the whole way: less is no change to speak of
MUCH = 0.25  # of the whole way: where a change of more could hide in the noise, nothing is called flat
NEW_LOW = 0.25  # of the fall in the last third by which it must have got below all before: swings do not

Kind = Literal["improving", "flat", "rising", "swinging", "diverged", "stuck", "unclear", "not finite"]


@frozen
class Verdict:
    kind: Kind
    first: float  # median of the first values
    last: float  # median of the last tenth
    before: float = 0.0  # at the beginning of the last third
    since: int = 0  # the step from which on that holds
    band: tuple[float, float] = (0.0, 0.0)  # in which nine in ten values since then lie
    unseen: float = 0.0  # a fall over the last third that could hide in the noise


def judge_curve(curve: Curve) -> Verdict | None:
    """None: too short to say."""
    if len(curve) < LEAST_VALUES:
        return None
    x, y = curve.blocks()
    first, last = float(np.median(curve.values[:5])), float(np.median(_tenth(curve.values)))
    if curve.bad_since is not None:
        return Verdict("not finite", first, last, since=curve.bad_since)
    start = len(y) - max(LEAST_BLOCKS, len(y) // 3)
    end_x, end_y = x[start:], y[start:]
    level = float(np.median(end_y))
    span = float(end_x[-1] - end_x[0])
    change = slope(end_x, end_y) * span
    score = careful_rise_score(end_x, end_y)
    beginning = max(3, len(end_y) // 5)
    before = _level(end_y[:beginning])
    is_little = abs(change) < LITTLE * abs(level) and abs(change) < LITTLE * abs(first - last)
    since = int(end_x[:beginning].mean())
    band = _band(curve, since)
    if _is_above(y, is_sure=score > SURE):
        return Verdict("diverged", first, last, before, since, band)
    if abs(score) > SURE and not is_little:
        if score > 0:
            return Verdict("rising", first, last, before, since, band)
        is_new = _level(y[-max(1, len(y) // 10) :]) < _lowest_level(y[:start]) - NEW_LOW * abs(change)
        return Verdict("improving" if is_new else "swinging", first, last, before, since, band)
    if not _has_fallen(x, y, first):
        return Verdict("stuck", first, last, before, int(x[0]), _band(curve, int(curve.steps[0])))
    low, high = slope_range(end_x, end_y, SURE)
    if max(abs(low), abs(high)) * span > MUCH * abs(first - last):
        return Verdict("unclear", first, last, before, since, band)
    since = int(x[_flat_since(x, y, start)])
    return Verdict("flat", first, last, before, since, _band(curve, since), max(0.0, -low * span))


def _tenth(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values[-max(5, len(values) // 10) :]


def _level(values: NDArray[np.float64]) -> float:
    return float(np.median(values))


def _lowest_level(before: NDArray[np.float64]) -> float:
    """Of tenths of what came before the last third, the lowest."""
    parts = np.array_split(before, max(1, min(7, len(before) // 2)))
    return min(_level(part) for part in parts if len(part))


def _is_above(y: NDArray[np.float64], *, is_sure: bool) -> bool:
    """Whether the end lies wholly above the beginning, and by far if it is not sure to rise."""
    num = max(LEAST_END, len(y) // 10)
    begin, end = y[:num], y[-num:]
    gap = float(end.min() - begin.max())
    return gap > (0.0 if is_sure else FAR * float(begin.max() - begin.min()))


def _has_fallen(x: NDArray[np.float64], y: NDArray[np.float64], first: float) -> bool:
    """Whether the end is lower than the beginning, by more than noise does."""
    num = max(LEAST_END, len(y) // 10)
    low, high = np.percentile(y[num:], [5, 95])
    fell_at_once = max(first, float(y[0])) > high + (high - low)
    return fell_at_once or float(y[-num:].max()) < float(y[:num].min()) or careful_rise_score(x, y) < -SURE


def _flat_since(x: NDArray[np.float64], y: NDArray[np.float64], start: int) -> int:
    """The first block from which on there is no fall, and from which on the level is that of the end."""
    end = y[start:]
    middle = float(np.median(end))
    spread = 1.4826 * float(np.median(np.abs(end - middle)))
    inside = np.abs(_smooth(y) - middle) <= 2 * spread + 1e-12 * abs(middle)
    outside = np.flatnonzero(~inside[:start])
    place = int(outside[-1]) + 1 if len(outside) else 0
    while place < start and careful_rise_score(x[place:], y[place:]) < -SURE:
        place += 1
    return place


def _smooth(y: NDArray[np.float64]) -> NDArray[np.float64]:
    padded = np.pad(y, 2, mode="edge")
    return np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)


def _band(curve: Curve, since: int) -> tuple[float, float]:
    values = curve.values[curve.steps >= since]
    low, high = np.percentile(values if len(values) else curve.values, [5, 95])
    return float(low), float(high)
