"""The gradient noise scale, tr(Sigma) / |G|^2 in samples, from the gradients of several batches. No torch.

Batches of one size b with gradients g_i: E|g_i|^2 = |G|^2 + tr(Sigma) / b, and the products of different batches have
|G|^2 on average. Both are estimated without bias (McCandlish et al., An Empirical Model of Large-Batch Training,
appendix A). How sure they are is told by the jackknife: leave out one group of batches after the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

SURE = 2.0  # standard errors on each side


@dataclass(frozen=True, slots=True)
class Estimate:
    """`value` is None where the gradient can't be told from its noise; then `low` is what it is at least."""

    value: float | None
    low: float
    high: float


def estimate(products: Sequence[Sequence[float]], squares: Sequence[float], counts: Sequence[int], b: int) -> Estimate:
    """From the products of the groups' summed gradients, the summed square norms of their batches, and their counts."""
    groups = range(len(counts))
    whole = _moments(products, squares, counts, groups)
    parts = [_moments(products, squares, counts, [g for g in groups if g != left_out]) for left_out in groups]
    num = len(parts)
    signal_error = _error([signal for signal, _ in parts], num)
    signal, noise = whole
    noise = max(0.0, noise)
    least = b * noise / (signal + SURE * signal_error) if signal + SURE * signal_error > 0 else math.inf
    if signal <= SURE * signal_error or any(part <= 0 for part, _ in parts):
        return Estimate(None, least, math.inf)
    if noise == 0.0:
        return Estimate(0.0, 0.0, 0.0)
    logs = [math.log(max(n, 1e-300) / s) for s, n in parts]
    spread = math.exp(SURE * _error(logs, num))
    value = b * noise / signal
    return Estimate(value, value / spread, value * spread)


def _moments(
    products: Sequence[Sequence[float]], squares: Sequence[float], counts: Sequence[int], groups: Sequence[int]
) -> tuple[float, float]:
    """|G|^2 and tr(Sigma) / b, from the batches of some groups."""
    num = sum(counts[g] for g in groups)
    small = sum(squares[g] for g in groups) / num  # mean square norm of one batch's gradient
    large = sum(products[g][h] for g in groups for h in groups) / num**2  # square norm of their mean
    noise = (small - large) * num / (num - 1)
    return small - noise, noise


def _error(values: Sequence[float], num: int) -> float:
    """Standard error, by the jackknife."""
    mean = sum(values) / num
    return math.sqrt((num - 1) / num * sum((value - mean) ** 2 for value in values))
