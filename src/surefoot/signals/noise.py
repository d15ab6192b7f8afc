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


class NoiseScale:
    """Of one optimizer."""

    def __init__(self) -> None:
        self.num_expected = 0  # micro-batches in a window, if it has several and they can be told apart; else 0
        self._num_windows = 0
        self._noise = self._signal = 0.0
        self._newest: dict[str, float] = {}

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
        self._num_windows += 1
        self._newest = {"noise_signal": signal, "noise_trace": noise, "update_items": float(num * batch_size)}

    def take_newest(self) -> dict[str, float]:
        """Both parts of the newest window, once: whoever has many of them knows how sure their quotient is."""
        newest, self._newest = self._newest, {}
        return newest

    @property
    def value(self) -> float:
        """In samples; NaN while it is not known."""
        known = self._num_windows >= FEWEST and self._signal > 0
        return max(0.0, self._noise) / self._signal if known else math.nan
