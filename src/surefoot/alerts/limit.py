"""How much is sent: each cause once in a while, by one process, and never a flood. What is held back is counted."""

import hashlib
from collections import Counter
from pathlib import Path

REST_SECONDS = 600.0  # before the same cause is sent again
BURST = 5  # alerts at once
SPACING_SECONDS = 60.0  # in the long run, between two of them


class Limit:
    """Times are given, so that it decides the same over an old run."""

    def __init__(self) -> None:
        self.held: Counter[str] = Counter()  # by cause, since the last one that was let through
        self.num_held = 0  # in all
        self._last_sent: dict[str, float] = {}
        self._credit = float(BURST)
        self._at: float | None = None

    def allows(self, cause: str, time: float) -> bool:
        """Whether it may be sent now; counted as held back if not."""
        passed = 0.0 if self._at is None else max(0.0, time - self._at)
        self._at = time
        self._credit = min(float(BURST), self._credit + passed / SPACING_SECONDS)
        is_again = cause in self._last_sent and time - self._last_sent[cause] < REST_SECONDS
        if is_again or self._credit < 1:
            self.hold(cause)
            return False
        self._credit -= 1
        self._last_sent[cause] = time
        return True

    def hold(self, cause: str) -> None:
        self.held[cause] += 1
        self.num_held += 1

    def take_held(self) -> int:
        """How many were held back since the last time."""
        num = self.held.total()
        self.held.clear()
        return num


def claim(folder: Path, cause: str) -> bool:
    """Whether no other process of the run has sent it."""
    name = hashlib.sha256(cause.encode(errors="backslashreplace")).hexdigest()[:32]
    try:
        (folder / f"told-{name}").touch(exist_ok=False)
    except OSError:
        return False
    return True
