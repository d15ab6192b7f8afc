"""What a loop tells the world: alerts, and numbers for Prometheus."""

from __future__ import annotations

import platform
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.alerts import Desk, Endpoint, Request, as_requests
from surefoot.alerts.alert import About
from surefoot.judge import Finding
from surefoot.runlog import Run
from surefoot.runlog.write.about import script_name
from surefoot.runlog.write.current import say
from surefoot.sanitizer.sanitizer import Listener, Sanitizer

if TYPE_CHECKING:
    from surefoot.loop.loop import Loop

Alerts = str | Request | Iterable[str | Request]


def check_outward(alerts: Alerts, prometheus: int | None, *, is_logged: bool) -> tuple[Request, ...]:
    """What can't be honoured is refused when the loop is made."""
    requests = as_requests(alerts)
    if prometheus is not None and (isinstance(prometheus, bool) or prometheus not in range(65536)):
        raise ValueError(f"prometheus is a port from 0 to 65535, got {prometheus!r}.")
    if not is_logged and any(request.wanted.expressions for request in requests):
        raise ValueError("alerts on expressions are about what is logged: leave out log=None.")
    if not is_logged and prometheus is not None:
        raise ValueError("prometheus serves what is logged: leave out log=None.")
    return requests


class Outward:
    """Lives as long as the loop, and ends before its run does."""

    def __init__(self, loop: Loop, requests: tuple[Request, ...], prometheus: int | None, run: Run | None) -> None:
        self._run = run
        self._sanitizer: Sanitizer | None = None
        self._listener = Listener(self._found)
        self._desk: Desk | None = None
        self._endpoint: Endpoint | None = None
        about = About("" if run is None else run.name, Path(script_name()).name, platform.node())
        if requests:
            self._desk = self._make_desk(requests, about)
        if prometheus is not None and run is not None:
            self._endpoint = Endpoint(prometheus, about, findings=_findings, num_updates=run.step)
            run.listen(self._endpoint.scalars)
            say(f"metrics are at {self._endpoint.url}")
        if run is not None:
            run.before_closing(self.close)
        weakref.finalize(loop, self.close)

    def hear_findings(self) -> None:
        """Of the sanitizer that is running."""
        self._sanitizer = Sanitizer.running
        if self._sanitizer is not None and self._desk is not None:
            self._sanitizer.listen(self._listener)

    def close(self) -> None:
        """Closing twice does nothing."""
        sanitizer, self._sanitizer = self._sanitizer, None
        if sanitizer is not None and self._desk is not None:
            sanitizer.unlisten(self._listener)
        for one in (self._desk, self._endpoint):
            if one is not None:
                one.close()
                if self._run is not None:
                    self._run.unlisten(one.scalars)

    def _make_desk(self, requests: tuple[Request, ...], about: About) -> Desk:
        run = self._run
        if run is None:
            if any(request.wanted.expressions for request in requests):
                say("the run log is switched off, and so are alerts on expressions.")
            return Desk(requests, about, say=say)
        desk = Desk(requests, about, say=say, note=run.event, commit=run.flush)
        if desk.hears_scalars:
            run.listen(desk.scalars)
        return desk

    def _found(self, finding: Finding) -> None:
        if self._desk is not None:
            self._desk.finding(finding)


def _findings() -> list[Finding]:
    running = Sanitizer.running
    return [] if running is None else running.judge.findings
