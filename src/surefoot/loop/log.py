"""What a loop writes to the run log: every update, what is measured after it, why it stopped, where it came from."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from surefoot.loop.exporters import Alerts, LoopExporters, check_exporters
from surefoot.loop.track import sample_tracked
from surefoot.runlog.write.current import current_run, is_decided, log_folder, make_current, new_run, reason_at_exit
from surefoot.runlog.write.run import Run

if TYPE_CHECKING:
    from surefoot.loop.loop import Loop
    from surefoot.loop.parallel.alone import Alone

__all__ = ["Alerts", "Log", "LoopLog"]

Log = str | os.PathLike[str] | bool | None


class LoopLog:
    """Shares the run that is going on, such as that of `surefoot run`, or has one of its own until the loop ends."""

    def __init__(self, loop: Loop, log: Log, ranks: Alone, alerts: Alerts = (), prometheus: int | None = None) -> None:
        requests = check_exporters(alerts, prometheus, is_logged=log is not None and log is not False)
        shared = current_run()
        shared = None if shared is not None and shared.is_loops_own else shared
        folder = log_folder(log)
        self.run: Run | None = shared if folder is not None else None
        if shared is None and folder is not None and not is_decided():
            agreed = ranks.from_first if ranks.size > 1 else None
            self.run = new_run(folder, agreed=agreed, rank=ranks.rank, num_ranks=ranks.size)
            self.run.meta("device", str(loop.device))
            make_current(self.run)
        self.is_own = self.run is not shared
        self._lead = ""
        if self.run is not None:
            self.run.is_loops_own = self.is_own
            self.run.num_loops += 1
            self._lead = f"loop-{self.run.num_loops}/" if self.run.num_loops > 1 else ""
            this = weakref.ref(loop)  # the run outlives the loop, and must not keep it alive
            self.run.step = lambda: getattr(this(), "num_updates", 0)
            loop.history.listener = self._heard
        self._end = weakref.finalize(loop, _end, self.run if self.is_own else None)
        self._num_updates = 0
        self.exporters: LoopExporters | None = None
        if (requests or prometheus is not None) and ranks.rank == 0:
            self.exporters = LoopExporters(loop, requests, prometheus, self.run)

    def update(self, num_updates: int, values: Mapping[str, Any]) -> None:
        self._num_updates = num_updates
        if self.run is not None:
            self.run.scalars_soon(num_updates, self._named(values))
            sample_tracked(self.run, num_updates)

    def settle(self) -> None:
        """Let no update wait for the next: that may take its time."""
        if self.run is not None:
            self.run.settle()

    def stopped(self, reason: str) -> None:
        """Committed at once: the program may end right after."""
        if self.run is not None:
            self.run.event("stop", reason, self._num_updates)
            self.run.flush()

    def resumed(self, before: Mapping[str, Any] | None, num_updates: int) -> None:
        """Tell from which run this one goes on."""
        self._num_updates = num_updates
        if self.run is None:
            return
        name = "" if before is None else str(before["name"])
        if self.is_own and before is not None:
            self.run.meta("attempt", str(int(before["attempt"]) + 1))
            self.run.meta("resumed_from", name)
        self.run.event("resume", f"from update {num_updates}" + f" of {name}" * bool(name), num_updates)

    def state(self) -> dict[str, Any] | None:
        """What a checkpoint keeps."""
        self.settle()
        return None if self.run is None else {"name": self.run.name, "attempt": self.run.attempt}

    def close(self, reason: str) -> None:
        if self._end.alive:
            self._end.detach()
            if self.exporters is not None:
                self.exporters.close()
            if self.run is not None and self.is_own:
                self.run.close(reason)

    def _heard(self, values: Mapping[str, Any]) -> None:
        """What is added to the history after an update: numbers only, a history may hold anything."""
        numbers = {name: value for name, value in values.items() if isinstance(value, float | int)}
        if self.run is not None and numbers:
            self.run.scalars(self._num_updates, self._named(numbers))

    def _named(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        return {self._lead + name: value for name, value in values.items()} if self._lead else values


def _end(run: Run | None) -> None:
    if run is not None:
        run.close(reason_at_exit())
