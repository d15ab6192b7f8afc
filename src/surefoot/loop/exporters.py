"""What a loop tells the world: alerts, and numbers for Prometheus."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING

from surefoot.alerts.exporters import Exporters
from surefoot.alerts.request import Request, as_requests
from surefoot.judge import Finding
from surefoot.runlog.write.about import script_name
from surefoot.runlog.write.current import say
from surefoot.runlog.write.run import Run
from surefoot.sanitizer.sanitizer import Listener, Sanitizer

if TYPE_CHECKING:
    from surefoot.loop.loop import Loop

Alerts = str | Request | Iterable[str | Request]


def check_exporters(alerts: Alerts, prometheus: int | None, *, is_logged: bool) -> tuple[Request, ...]:
    """What can't be honoured is refused when the loop is made."""
    requests = as_requests(alerts)
    if prometheus is not None and (isinstance(prometheus, bool) or prometheus not in range(65536)):
        raise ValueError(f"prometheus is a port from 0 to 65535, got {prometheus!r}.")
    if not is_logged and any(request.wanted.expressions for request in requests):
        raise ValueError("alerts on expressions are about what is logged: leave out log=None.")
    if not is_logged and prometheus is not None:
        raise ValueError("prometheus serves what is logged: leave out log=None.")
    return requests


class LoopExporters:
    """Lives as long as the loop, and ends before its run does."""

    def __init__(self, loop: Loop, requests: tuple[Request, ...], prometheus: int | None, run: Run | None) -> None:
        if run is None and any(request.wanted.expressions for request in requests):
            say("the run log is switched off, and so are alerts on expressions.")
        self._exporters = Exporters(
            requests,
            None if run is None else prometheus,
            run,
            script=script_name(),
            say=say,
            findings=_findings,
            num_updates=None if run is None else run.step,
        )
        self._sanitizer: Sanitizer | None = None
        self._listener = Listener(self._exporters.finding)
        if run is not None:
            run.before_closing(self.close)
        weakref.finalize(loop, self.close)

    def hear_findings(self) -> None:
        """Of the sanitizer that is running."""
        self._sanitizer = Sanitizer.running if self._exporters.wants_findings else None
        if self._sanitizer is not None:
            self._sanitizer.listen(self._listener)

    def close(self) -> None:
        """Closing twice does nothing."""
        sanitizer, self._sanitizer = self._sanitizer, None
        if sanitizer is not None:
            sanitizer.unlisten(self._listener)
        self._exporters.close()


def _findings() -> list[Finding]:
    running = Sanitizer.running
    return [] if running is None else running.judge.findings
