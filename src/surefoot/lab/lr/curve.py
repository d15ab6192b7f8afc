"""Read a range test: where the loss falls fastest, and whether it falls at all. Plain numbers, no torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

SMOOTHING = 0.03  # of the curve: the width of the bell that losses are averaged with
NOISES = 3.0  # a fall that is not larger than so much noise is none
FIRST = 0.1  # of the updates, at rates so small that only the batches differ


def smooth(values: Sequence[float]) -> list[float]:
    """A mean weighted by a bell around each value: unlike a running mean, it does not lag behind."""
    width = max(1.0, SMOOTHING * len(values))
    reach = math.ceil(3 * width)
    bell = [math.exp(-0.5 * (k / width) ** 2) for k in range(-reach, reach + 1)]
    smoothed = []
    for i in range(len(values)):
        near = [(bell[j - i + reach], values[j]) for j in range(max(0, i - reach), min(len(values), i + reach + 1))]
        smoothed.append(sum(w * v for w, v in near) / sum(w for w, _ in near))
    return smoothed


def noise_of(losses: Sequence[float]) -> float:
    """How much losses differ from one batch to the next, where the weights hardly move."""
    first = losses[: max(3, round(FIRST * len(losses)))]
    return 1.05 * median(abs(b - a) for a, b in pairwise(first)) if len(first) > 1 else 0.0


def steepest(rates: Sequence[float], losses: Sequence[float]) -> int | None:
    """Where the smoothed loss falls fastest by the logarithm of the rate; None if it does not fall."""
    smoothed = smooth(losses)
    lowest = min(range(len(smoothed)), key=smoothed.__getitem__)
    fall = max(smoothed[: lowest + 1]) - smoothed[lowest]
    if lowest < 2 or fall <= max(NOISES * noise_of(losses) / math.sqrt(max(1.0, SMOOTHING * len(losses))), 0.0):
        return None
    slopes = {i: (smoothed[i + 1] - smoothed[i - 1]) / math.log(rates[i + 1] / rates[i - 1]) for i in range(1, lowest)}
    return min(slopes, key=slopes.__getitem__)


def has_diverged(losses: Sequence[float], noise: float) -> bool:
    """Whether a range test may stop: the loss is far above where it began."""
    if not math.isfinite(losses[-1]):
        return True
    num = min(len(losses), 3)
    now = sorted(losses[-num:])[0]  # the lowest of the last: one bad batch is no divergence
    start = median(losses[: max(3, len(losses) // 10)])
    scale = max(start - min(losses), 3 * noise, 0.1 * abs(start))
    return now > start + 3 * scale


def fall(losses: Sequence[float]) -> float:
    """From the first loss to the last quarter; below 0 if it went up, and endlessly so if it is not finite."""
    if not losses or not all(map(math.isfinite, losses)):
        return -math.inf
    return losses[0] - median(losses[-max(1, len(losses) // 4) :])


def holds(losses: Sequence[float], noise: float, good: float) -> bool:
    """Whether training at one rate goes down in the end, and by a tenth of what a good rate reaches at least.

    A rate far too high may throw a network to a place where no gradient is left: the loss stays, and does not explode.
    """
    fell = fall(losses)
    size = max(1, len(losses) // 4)
    if fell == -math.inf or fell < max(0.1 * good, 0.0) - 4 * noise / math.sqrt(size):
        return False
    *earlier, last = (median(losses[i : i + size]) for i in range(len(losses) % size, len(losses), size))
    lowest = min(earlier)
    return last <= lowest + max(4 * noise / math.sqrt(size), 0.5 * abs(lowest))
