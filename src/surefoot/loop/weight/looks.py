"""Closer looks at losses, now and then: programs have few of them, and looking costs more than weighing."""

from __future__ import annotations

from torch import Tensor

from surefoot.loop.weight.mixing import refuse_mixing
from surefoot.loop.weight.scaled import refuse_scaled


class Looks:
    """At micro-batches 1, 2, 4, 8 and so on, of those whose weight is read."""

    def __init__(self) -> None:
        self._num = 0
        self._seconds: list[float] = []

    def look(self, loss: Tensor) -> None:
        """Refuses what micro-batches can't be put together from."""
        self._num += 1
        if self._num & (self._num - 1) == 0:
            refuse_mixing(loss)
            self._seconds = refuse_scaled(loss, self._seconds)
