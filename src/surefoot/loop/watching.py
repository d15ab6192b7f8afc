"""The sanitizer around a loop: the same one as anybody's, without a back door."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, ClassVar

from torch.nn import Module
from torch.optim import Optimizer

from surefoot.judge import Finding
from surefoot.loop.log import LoopLog
from surefoot.sanitizer import LazyLog, Watch, watch
from surefoot.sanitizer.sanitizer import Sanitizer
from surefoot.watch.inventory.registering import collecting

if TYPE_CHECKING:
    from surefoot.loop.loop import Loop


class Watching:
    """Starts a watch, or takes part in the one that is running, and ends it with the last loop that needs it.

    A quiet one shows nothing: of several ranks the first one speaks, and `findings` has what each found.
    """

    _shared: ClassVar[Watch | None] = None
    _num_loops: ClassVar[int] = 0

    def __init__(self, loop: Loop, log: LoopLog, *, quiet: bool = False, overhead: float = 0.02) -> None:
        if Watching._shared is None and (Sanitizer.running is None or Watch._active is None):
            watched: list[Module | Optimizer] = [*loop.models.values(), *loop.optimizers.values()]
            Watching._shared = watch(*watched, on_finding=_say_nothing if quiet else None, overhead=overhead)
            Watching._shared.tells_of_nothing = False  # a loop may be made for a range test, or to be looked at
        Watching._num_loops += 1
        if log.run is not None and Sanitizer.running is not None:
            Sanitizer.running.log_to(LazyLog(log.run))
        if log.exporters is not None:
            log.exporters.hear_findings()
        self._watch = Watching._shared
        self._collected = weakref.finalize(self, Watching._leave_collected)

    def stop(self) -> None:
        if self._collected.detach() is not None:
            Watching._leave()

    @property
    def findings(self) -> list[Finding]:
        if self._watch is not None:
            return self._watch.findings
        running = Sanitizer.running
        return [] if running is None else list(running.judge.findings)

    @staticmethod
    def _leave_collected() -> None:
        """The loop was forgotten, not closed."""
        with collecting():
            Watching._leave()

    @staticmethod
    def _leave() -> None:
        Watching._num_loops -= 1
        if Watching._num_loops == 0 and Watching._shared is not None:
            Watching._shared.stop()
            Watching._shared = None


def _say_nothing(finding: Finding) -> None:
    """It is kept."""
