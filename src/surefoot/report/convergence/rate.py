"""What the learning rate did while the loss did what is told of it."""

from __future__ import annotations

from collections.abc import Iterable

from surefoot.facts.frozen import frozen
from surefoot.report.convergence.curve import Curve

STEADY = 0.01  # of the rate: it is taken for constant
SPENT = 0.01  # of the highest rate: the schedule has run out, and updates are small whatever the gradients say


@frozen
class Rate:
    start: float
    end: float
    is_steady: bool
    highest: float  # of the whole run

    @property
    def is_spent(self) -> bool:
        return self.end <= SPENT * self.highest


def rate_since(lr: Curve, step: int) -> Rate | None:
    """None if it was not logged since then."""
    values = lr.values[lr.steps >= step]
    if not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    return Rate(float(values[0]), float(values[-1]), high - low <= STEADY * high, float(lr.values.max()))


def most_changing(rates: Iterable[Curve]) -> Curve | None:
    """Of those of several parameter groups, so that a rate called steady is so for all of them."""
    return max((curve for curve in rates if len(curve)), key=_change, default=None)


def _change(curve: Curve) -> float:
    low, high = float(curve.values.min()), float(curve.values.max())
    return (high - low) / high if high else 0.0
