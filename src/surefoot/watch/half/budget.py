"""Space a measurement out so that it takes at most a share of the program's time."""

from time import perf_counter

FIRST = 32  # times that are never spaced: most bugs show in the first steps


class Budget:
    """Asked before a measurement (`is_due`) and told after it (`spent`)."""

    def __init__(self, share: float, first: int = FIRST) -> None:
        self._share = share
        self._first = first
        self._next = 0.0

    def is_due(self) -> bool:
        return self._first > 0 or (self._share > 0 and perf_counter() >= self._next)

    def spent(self, since: float) -> None:
        """The measurement that began at `since` (by `perf_counter`) is over."""
        now = perf_counter()
        self._first -= 1
        if self._share > 0:
            self._next = now + (now - since) / self._share
