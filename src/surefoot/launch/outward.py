"""What a process of a run tells the world: alerts, and numbers for Prometheus."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterable
from pathlib import Path

from surefoot.alerts import Desk, Endpoint
from surefoot.alerts.alert import About
from surefoot.judge import Finding
from surefoot.launch.plan import Plan
from surefoot.runlog import Run


class Outward:
    """`claims` is a folder in which processes that see the same settle who tells it."""

    def __init__(
        self,
        plan: Plan,
        run: Run | None,
        *,
        say: Callable[[str], None],
        findings: Callable[[], Iterable[Finding]],
        num_updates: Callable[[], int],
        claims: Path | None = None,
    ) -> None:
        about = About("" if run is None else run.name, Path(plan.script).name, platform.node())
        self._desk: Desk | None = None
        self._endpoint: Endpoint | None = None
        if plan.alerts:
            claim = (lambda cause: True) if claims is None else (lambda cause: _claim(claims, cause))
            if run is None:
                self._desk = Desk(plan.alerts, about, say=say, claim=claim)
            else:
                self._desk = Desk(plan.alerts, about, say=say, claim=claim, note=run.event, commit=run.flush)
                if self._desk.hears_scalars:
                    run.listen(self._desk.scalars)
        if plan.prometheus is not None and claims is None:
            self._endpoint = Endpoint(plan.prometheus, about, findings=findings, num_updates=num_updates)
            say(f"metrics are at {self._endpoint.url}")
            if run is not None:
                run.listen(self._endpoint.scalars)

    def finding(self, finding: Finding) -> None:
        if self._desk is not None:
            self._desk.finding(finding)

    def close(self) -> None:
        """Closing twice does nothing."""
        if self._desk is not None:
            self._desk.close()
        if self._endpoint is not None:
            self._endpoint.close()


def _claim(folder: Path, cause: str) -> bool:
    """Whether nobody else has told it."""
    name = hashlib.sha256(cause.encode(errors="backslashreplace")).hexdigest()[:32]
    try:
        (folder / f"told-{name}").touch(exist_ok=False)
    except OSError:
        return False
    return True
