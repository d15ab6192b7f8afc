"""Show a condition a series of values, as a loop would."""

import math
from collections.abc import Iterable

import numpy as np

from surefoot.loop.stop import Condition, Seen


def seen(update: int, *, epoch: int = 0, seconds: float = 0.0, **values: float) -> Seen:
    """Names with a slash are written with two underscores: `val__loss=0.5`."""
    return Seen(update, epoch, seconds, {name.replace("__", "/"): value for name, value in values.items()})


def stopped_at(condition: Condition, values: Iterable[float], name: str = "loss") -> int | None:
    """The number of the value at which it stops; None where it never does."""
    for number, value in enumerate(values, 1):
        if condition.see(Seen(number, 0, 0.0, {name: float(value)})) is not None:
            return number
    return None


def noise(seed: int, length: int, kind: str = "normal") -> np.ndarray:
    """Normal noise, `heavy` (Student's t with 2 degrees of freedom), or `hanging` together (correlation 0.9)."""
    rng = np.random.default_rng(seed)
    if kind == "heavy":
        return rng.standard_t(2, length)
    values = rng.standard_normal(length)
    if kind == "hanging":
        for i in range(1, length):
            values[i] = 0.9 * values[i - 1] + math.sqrt(1 - 0.9**2) * values[i]
    return values
