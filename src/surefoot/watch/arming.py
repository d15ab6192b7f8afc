"""Which windows are read closely: those of which optimizers, and since when; and which of them signals want."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surefoot.watch.window import SAMPLE_LENGTH

if TYPE_CHECKING:
    from surefoot.watch.tap import Tap
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

MOST_ARMED = 256  # steps of others, after which one that does not step any more is not waited for
ANY = 0  # in place of an optimizer's number: the next step of whichever


class Arming:
    def __init__(self, tap: Tap) -> None:
        self._tap = tap
        self.is_measured = False  # signals want the window that is running
        self._measured: set[int] = set()  # optimizers whose window they want
        self._armed: dict[int, int] = {}  # optimizers whose window is armed, and the step since which it is

    def arm(self, optimizer: int, step: int) -> None:
        """Read closely what comes, up to the end of its next step."""
        self._tap.armed = True
        self._armed[optimizer] = step

    def begin_window(self, tracked: TrackedOptimizer, step: int, *, is_due: bool) -> bool:
        """A window of that optimizer begins; whether signals want it."""
        armed, windows, update = self._armed, tracked.windows, tracked.num_updates + 1
        armed.pop(ANY, None)
        if (
            update <= windows.num_first or windows.is_new or is_due
            or update % windows.spacing < SAMPLE_LENGTH
        ):  # fmt: skip
            armed[tracked.id] = step
        else:
            armed.pop(tracked.id, None)
        is_wanted = windows.wanted_at == update
        if is_wanted:
            self._measured.add(tracked.id)
        else:
            self._measured.discard(tracked.id)
        self.is_measured = bool(self._measured)
        if len(armed) > 1:
            for number in [n for n, since in armed.items() if step - since > MOST_ARMED]:
                del armed[number]
        self._tap.armed = bool(armed)
        if not armed and not self.is_measured:
            next_sample = (update // windows.spacing + 1) * windows.spacing
            windows.quiet_until = min(next_sample, windows.wanted_at) if windows.wanted_at > update else next_sample
        return is_wanted
