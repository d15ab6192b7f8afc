"""What a loss curve did in its second half, and whether that says something about a longer run.

Two kinds of verdict are about a longer run: "falling" and "resting". Their limits were chosen on one half of the real
trainings of `benchmarks/verdict`; `calibration.py` has how often they were right on the other half.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.facts.frozen import frozen
from surefoot.report.convergence.curve import Curve
from surefoot.report.convergence.rate import Rate, rate_since
from surefoot.report.convergence.trend import agreement, careful_rise_score, slope_range

LEAST_VALUES = 120  # fewer make no second half that a test could judge: of 60, noise alone "diverged" in one of 12
LEAST_END = 6  # blocks that stand for the beginning, and for the end
MOST_PARTS, LEAST_IN_PART = 30, 3  # of the second half: as good as all its values for a trend
FAR = 3.0  # times what the beginning ranges over
SURE = 3.0  # standard deviations: chance alone gets there once in 740 curves
DOUBT = 2.0  # standard deviations: a loss that may be falling is not called at rest
SMOOTH = 0.8  # of the pairs of parts agree: a trend, whatever the noise
LITTLE = 0.05  # of the level: a smaller change is not called a fall or a rise
HIDDEN = 0.08  # of the level: where a larger fall could hide in the noise, nothing is called at rest
HARDLY = 0.2  # of the first loss
NEW_LOW = 0.25  # of the fall by which it must have got below everything before: swings do not
_ROBUST = 1.4826  # standard deviations of normal noise in a median distance

Array = NDArray[np.float64]
Kind = Literal[
    "falling", "slowing", "resting", "scheduled", "rising", "swinging", "diverged", "stuck", "unclear", "not finite"
]


@frozen
class Verdict:
    kind: Kind
    first: float  # median of the first values
    last: float  # median of the last tenth
    middle: float = 0.0  # median of the tenth just before the second half
    since: int = 0  # the step from which on that holds
    band: tuple[float, float] = (0.0, 0.0)  # in which nine in ten values since then lie
    rate: Rate | None = None  # the learning rate since then, if it is known


def judge_curve(curve: Curve, lr: Curve | None = None) -> Verdict | None:
    """None: too short to say."""
    if len(curve) < LEAST_VALUES:
        return None
    first, last = float(np.median(curve.values[:5])), level(curve.values)
    if curve.bad_since is not None:
        return Verdict("not finite", first, last, since=curve.bad_since)
    half = len(curve) // 2
    middle, since = level(curve.values[:half]), int(curve.steps[half])
    rate = None if lr is None else rate_since(lr, since)
    kind = _kind(curve, rate)
    if kind == "stuck":
        since = int(curve.steps[0])
    return Verdict(kind, first, last, middle, since, _band(curve, since), rate)


def level(values: Array) -> float:
    return float(np.median(values[-max(5, len(values) // 10) :]))


def scale(values: Array) -> float:
    """What a change is measured by: the level; of a loss that gets below 0, all that it has fallen."""
    last = level(values)
    return abs(last) if values.min() >= 0 else abs(float(np.median(values[:5])) - last)


def _kind(curve: Curve, rate: Rate | None) -> Kind:
    values, half = curve.values, len(curve) // 2
    parts = _medians(values[half:], min(MOST_PARTS, (len(curve) - half) // LEAST_IN_PART))
    x = np.arange(len(parts), dtype=np.float64)
    score, last, unit = _score(x, parts), level(values), scale(values)
    fall = level(values[:half]) - last
    if _is_above(curve.blocks()[1], is_sure=score > SURE):
        return "diverged"
    if score > SURE and -fall > LITTLE * unit:
        return "rising"
    if score < -SURE and not 0 < fall <= LITTLE * unit:
        is_new = fall > 0 and last < _lowest_level(values[:half]) - NEW_LOW * fall
        return "falling" if is_new else "swinging"
    if _has_hardly_fallen(values):
        return "stuck"
    if score < -SURE:
        return "slowing"
    hidden = max(-slope_range(x, parts, DOUBT)[0] * len(parts), float(np.ptp(_medians(parts, 5))))
    if abs(fall) > LITTLE * unit or hidden > HIDDEN * unit or score < -DOUBT:
        return "unclear"
    return "resting" if rate is not None and rate.is_steady else "scheduled"


def _score(x: Array, parts: Array) -> float:
    """The bend of a curve without noise looks like correlated noise to the test; that most pairs agree does not."""
    together = agreement(parts)
    return math.copysign(math.inf, together) if abs(together) >= SMOOTH else careful_rise_score(x, parts)


def _medians(values: Array, num: int) -> Array:
    return np.array([float(np.median(part)) for part in np.array_split(values, num)])


def _lowest_level(before: Array) -> float:
    return float(_medians(before, 5).min())


def _is_above(y: Array, *, is_sure: bool) -> bool:
    """Whether the end lies wholly above the beginning, and by far if it is not sure to rise."""
    num = max(LEAST_END, len(y) // 10)
    begin, end = y[:num], y[-num:]
    gap = float(end.min() - begin.max())
    return gap > (0.0 if is_sure else FAR * float(begin.max() - begin.min()))


def _has_hardly_fallen(values: Array) -> bool:
    """Where a model that has found nothing yet rests too; what it does next, its curve does not tell."""
    first, last = float(np.median(values[:5])), level(values)
    second_half = values[len(values) // 2 :]
    spread = _ROBUST * float(np.median(np.abs(second_half - np.median(second_half))))
    is_lower = first - last > SURE * spread / math.sqrt(5)
    return not is_lower or (values.min() >= 0 and first - last < HARDLY * first)


def _band(curve: Curve, since: int) -> tuple[float, float]:
    low, high = np.percentile(curve.values[curve.steps >= since], [5, 95])
    return float(low), float(high)
