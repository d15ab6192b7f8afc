"""What a process of a run tells the world: alerts, and numbers for Prometheus."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from surefoot.alerts.alert import About, Found
from surefoot.alerts.dispatcher import AlertDispatcher
from surefoot.alerts.endpoint import Endpoint
from surefoot.alerts.request import Request

Scalars = Callable[[tuple[str, ...], int, float, bytes], None]


class Logged(Protocol):
    """A run, as alerts see it: it has listeners and records whether alerts were sent."""

    @property
    def name(self) -> str: ...
    def event(self, kind: str, text: str, step: int = 0) -> None: ...
    def flush(self) -> None: ...
    def listen(self, listener: Scalars) -> None: ...
    def unlisten(self, listener: Scalars) -> None: ...
    def settle(self) -> None: ...


class Exporters:
    """A dispatcher if there are requests, an endpoint if there is a port; both hear what is logged, if anything is.

    `claim`, `findings` and `num_updates` are as in `AlertDispatcher` and `Endpoint`. Without `hears_scalars` the
    dispatcher gets findings only.
    """

    def __init__(
        self,
        requests: Sequence[Request],
        port: int | None,
        run: Logged | None,
        *,
        script: str,
        say: Callable[[str], None],
        findings: Callable[[], Iterable[Any]],
        num_updates: Callable[[], int] | None,
        claim: Callable[[str], bool] = lambda cause: True,
        takes_scalars: bool = True,
    ) -> None:
        self._run = run
        about = About("" if run is None else run.name, Path(script).name, platform.node())
        self._dispatcher: AlertDispatcher | None = None
        self._endpoint: Endpoint | None = None
        if requests:
            self._dispatcher = (
                AlertDispatcher(requests, about, say=say, claim=claim)
                if run is None
                else AlertDispatcher(requests, about, say=say, claim=claim, note=run.event, commit=run.flush)
            )
            self._dispatcher.takes_scalars &= takes_scalars
        if port is not None:
            self._endpoint = Endpoint(port, about, findings=findings, num_updates=num_updates)
            say(f"metrics are at {self._endpoint.url}")
        if run is not None:
            for scalars in self._listeners():
                run.listen(scalars)

    @property
    def wants_findings(self) -> bool:
        return self._dispatcher is not None

    def finding(self, finding: Found) -> None:
        if self._dispatcher is not None:
            self._dispatcher.finding(finding)

    def close(self) -> None:
        """Closing twice does nothing."""
        if self._run is not None:  # its last rows may still wait for each other
            self._run.settle()
        for one in (self._dispatcher, self._endpoint):
            if one is not None:
                one.close()
        if self._run is not None:
            for scalars in self._listeners():
                self._run.unlisten(scalars)

    def _listeners(self) -> Iterator[Scalars]:
        if self._dispatcher is not None and self._dispatcher.takes_scalars:
            yield self._dispatcher.scalars
        if self._endpoint is not None:
            yield self._endpoint.scalars
