"""`sf.every(updates=500)`: how often a loop saves or validates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from surefoot.loop.stop.parameter import check_count, check_number

if TYPE_CHECKING:
    from surefoot.loop.parallel.alone import Alone


@dataclass(frozen=True)
class Every:
    """One of the three is set."""

    updates: int | None = None
    epochs: int | None = None
    seconds: float | None = None


def every(*, updates: int | None = None, epochs: int | None = None, seconds: float | None = None) -> Every:
    """So many applied updates, finished epochs or seconds of training: `checkpoint_every=sf.every(seconds=600)`."""
    given = [value for value in (updates, epochs, seconds) if value is not None]
    if len(given) != 1:
        raise TypeError(f"every() takes one of updates=, epochs= and seconds=, got {len(given)} of them.")
    if updates is not None:
        check_count("updates", updates, least=1)
    if epochs is not None:
        check_count("epochs", epochs, least=1)
    if seconds is not None and check_number("seconds", seconds) <= 0:
        raise ValueError(f"seconds must be above 0, got {seconds}.")
    return Every(updates, epochs, seconds)


def check_every(what: str, given: Any) -> Every | None:
    """A plain number counts updates."""
    if given is None or isinstance(given, Every):
        return given
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise ValueError(
            f"{what} counts updates and must be at least 1, got {given!r}. For epochs or seconds write "
            f"{what}=sf.every(epochs=1) or sf.every(seconds=600)."
        )
    return Every(updates=given)


class Timer:
    """Tells when it is time again. Counts are those of the loop, so a resumed run keeps the rhythm."""

    def __init__(self, every: Every | None, ranks: Alone) -> None:
        self._every = every or Every()
        self._ranks = ranks
        self._num_periods = 0  # that have passed, where seconds count

    def start(self, seconds: float) -> None:
        """From here on: what is due at this moment was done before."""
        if self._every.seconds is not None:
            self._num_periods = int(seconds // self._every.seconds)

    def is_due_after_update(self, num_updates: int, seconds: float) -> bool:
        if self._every.updates is not None:
            return num_updates % self._every.updates == 0
        if self._every.seconds is None:
            return False
        # Clocks differ between ranks, and none may save or validate without the others: rank 0's counts.
        is_due = self._ranks.first_says(seconds // self._every.seconds > self._num_periods)
        if is_due:
            self._num_periods = max(self._num_periods + 1, int(seconds // self._every.seconds))
        return is_due

    def is_due_after_epoch(self, num_epochs: int) -> bool:
        return self._every.epochs is not None and num_epochs % self._every.epochs == 0
