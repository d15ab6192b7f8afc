"""The gradient noise scale, from the micro-batches of a window.

It is tr(Sigma) / |G|^2: how many samples it takes for the noise of a mean gradient to be as large as the gradient
itself. Batches well above it gain little. Gradients of two batch sizes, one micro-batch and the whole window, give both
without bias (McCandlish et al., An Empirical Model of Large-Batch Training, appendix A); numerator and denominator are
smoothed each by itself, because their quotient has a bias.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import torch.distributed as dist

KEPT = 0.95  # of what is known, with each new window
FEWEST = 8  # windows before anything is told
FAINT = 0.5  # relative error of the signal, beyond which the gradient is not told from its noise


class NoiseScale:
    """Of one optimizer."""

    def __init__(self) -> None:
        self.num_expected = 0  # micro-batches in a window, if it has several and they can be told apart; else 0
        self._num_windows = 0
        self.num_items = 0  # samples in the last window that was added
        self._noise = self._signal = 0.0
        self._spread = Spread()

    def expect(self, backwards: Sequence[tuple[Hashable, bool]]) -> None:
        """What windows look like, from the line of each backward, and whether its graph was kept for another one.

        Losses that are backwarded one by one are no micro-batches, and other ranks add their share at the last one.
        """
        plain = len(set(backwards)) == 1 and not backwards[0][1]
        alone = not dist.is_available() or not dist.is_initialized() or dist.get_world_size() == 1
        self.num_expected = len(backwards) if plain and alone and len(backwards) > 1 else 0

    def add(self, squares: Sequence[float], batch_size: int) -> None:
        """Square norms of the gradients that each micro-batch added, and last of their sum."""
        num = len(squares) - 1
        if num < 2 or num != self.num_expected or not all(map(math.isfinite, squares)):
            return
        small, large = sum(squares[:-1]) / num, squares[-1] / num**2
        signal, noise = (num * large - small) / (num - 1), batch_size * (small - large) * num / (num - 1)
        self._signal = KEPT * self._signal + signal
        self._noise = KEPT * self._noise + noise
        self._spread.add(signal, noise)
        self._num_windows += 1
        self.num_items = num * batch_size

    @property
    def value(self) -> float:
        """In samples; NaN while it is not known."""
        known = self._num_windows >= FEWEST and self._signal > 0
        return max(0.0, self._noise) / self._signal if known else math.nan

    @property
    def error(self) -> float:
        """Standard error of its logarithm; NaN where the gradient can't be told from its noise."""
        return math.nan if math.isnan(self.value) else self._spread.error(self._signal, self._noise)


class Spread:
    """How much single windows differ in signal and noise, weighted as these are."""

    def __init__(self) -> None:
        self._weight = self._square_weight = 0.0
        self._of_signal = self._of_noise = self._of_both = 0.0  # sums of squares and of products

    def add(self, signal: float, noise: float) -> None:
        self._weight = KEPT * self._weight + 1
        self._square_weight = KEPT**2 * self._square_weight + 1
        self._of_signal = KEPT * self._of_signal + signal * signal
        self._of_noise = KEPT * self._of_noise + noise * noise
        self._of_both = KEPT * self._of_both + signal * noise

    def error(self, signal: float, noise: float) -> float:
        """Of log(noise / signal), from the sums of both: to first order, as a quotient of means."""
        share = self._square_weight / self._weight**2  # one over the number of windows that it amounts to
        if noise <= 0 or share >= 1:
            return math.nan
        weight, to_mean = self._weight, share / (1 - share)
        of_signal = (self._of_signal * weight / signal**2 - 1) * to_mean  # relative variances
        of_noise = (self._of_noise * weight / noise**2 - 1) * to_mean
        of_both = (self._of_both * weight / (signal * noise) - 1) * to_mean
        if of_signal > FAINT**2:
            return math.nan
        return math.sqrt(max(0.0, of_signal + of_noise - 2 * of_both))
