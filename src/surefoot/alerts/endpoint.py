"""A page for Prometheus: what the run stands at, on this machine only."""

from __future__ import annotations

import ipaddress
import os
import socketserver
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from surefoot.alerts.alert import About
from surefoot.alerts.exposition import CONTENT_TYPE, Sample, exposition

HOST = "127.0.0.1"
POLL_SECONDS = 0.2  # the end of a run waits as long
TRIES = 5
NUM_PORTS = 20  # that are tried from the given one on
MOST_ROWS = 4096  # sets of names; a program that logs other names every time must not fill the memory

Newest = dict[str, tuple[float, int, float]]  # time, step and value by name


class Endpoint:
    """Training leaves the newest row of each set of names here; all else is done when somebody asks.

    `findings` gives those so far, `num_updates` how many updates there were.
    """

    def __init__(
        self,
        port: int,
        about: About,
        *,
        findings: Callable[[], Iterable[Any]] = tuple,
        num_updates: Callable[[], int] | None = None,
    ) -> None:
        self._about = about
        self._findings = findings
        self._num_updates = num_updates
        self._rows: dict[tuple[str, ...], tuple[int, float, bytes]] = {}
        self._pid = os.getpid()
        self._server = _listening(port, self._page)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(POLL_SECONDS,), name="surefoot-metrics", daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}/metrics"

    def scalars(self, names: tuple[str, ...], step: int, time: float, packed: bytes) -> None:
        if names in self._rows or len(self._rows) < MOST_ROWS:
            self._rows[names] = (step, time, packed)

    def close(self) -> None:
        """Closing twice does nothing."""
        server, self._server = self._server, None
        if server is not None and os.getpid() == self._pid:
            server.shutdown()
            server.server_close()

    def _page(self) -> str:
        return exposition(self._families())

    def _families(self) -> Iterator[tuple[str, str, str, list[Sample]]]:
        newest = self._newest()
        about = {"run": self._about.run, "script": self._about.script, "host": self._about.host}
        yield "surefoot_run_info", "gauge", "The run that these numbers are of.", [(about, 1.0)]
        values: list[Sample] = [({"name": name}, value) for name, (_, _, value) in newest.items()]
        yield "surefoot_scalar", "gauge", "The newest value of a series.", values
        steps: list[Sample] = [({"name": name}, float(step)) for name, (_, step, _) in newest.items()]
        yield "surefoot_scalar_step", "gauge", "The step of the newest value of a series.", steps
        times: list[Sample] = [({"name": name}, time) for name, (time, _, _) in newest.items()]
        yield "surefoot_scalar_time_seconds", "gauge", "When the newest value of a series was logged.", times
        last = max(((time, step) for time, step, _ in newest.values()), default=None)
        yield "surefoot_step", "gauge", "The step that was logged last.", [({}, float(last[1]))] if last else []
        num = None if self._num_updates is None else self._num_updates()
        updates: list[Sample] = [] if num is None else [({}, float(num))]
        yield "surefoot_updates_total", "counter", "Updates so far.", updates
        yield "surefoot_findings_total", "counter", "How often each rule found something.", self._counts()

    def _newest(self) -> Newest:
        newest: Newest = {}
        for names, (step, time, packed) in sorted(self._rows.copy().items(), key=lambda item: item[1][1]):
            for name, value in zip(names, struct.unpack(f"<{len(names)}d", packed), strict=True):
                newest[name] = (time, step, value)
        return dict(sorted(newest.items()))

    def _counts(self) -> list[Sample]:
        counts: Counter[tuple[str, str]] = Counter()
        for finding in self._found():
            counts[finding.rule, finding.severity] += finding.count
        return [({"rule": rule, "severity": level}, float(num)) for (rule, level), num in sorted(counts.items())]

    def _found(self) -> list[Any]:
        """Training may find something while they are listed."""
        for _ in range(TRIES):
            try:
                return list(self._findings())
            except RuntimeError:
                continue
        return []


class _Server(ThreadingHTTPServer):
    allow_reuse_address = os.name == "posix"  # elsewhere it would share a port that is taken
    daemon_threads = True

    def server_bind(self) -> None:
        """Without asking for the name of the host, which may take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked has gone."""


def _listening(port: int, page: Callable[[], str]) -> Any:
    """At the port given, or at the next that is free."""
    handler = type("Handler", (_Handler,), {"page": staticmethod(page)})
    for number in (*range(port, min(port + NUM_PORTS, 65536)), 0):
        try:
            return _Server((HOST, number), handler)
        except OSError:
            continue
    raise OSError(f"there is no free port on {HOST}")


class _Handler(BaseHTTPRequestHandler):
    page: Callable[[], str]
    timeout = 10.0

    def do_GET(self) -> None:
        if not _is_local(self.headers.get("Host", "")):  # a page of a foreign name that was made to point here
            self._answer(403, "ask by the address 127.0.0.1 or by localhost\n")
        elif self.path.partition("?")[0] == "/metrics":
            self._answer(200, self.page(), CONTENT_TYPE)
        else:
            self._answer(404, "the numbers are at /metrics\n")

    def _answer(self, status: int, text: str, kind: str = "text/plain; charset=utf-8") -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as it is called there
        """Nothing: stderr is the program's."""


def _is_local(host: str) -> bool:
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    if name in ("", "localhost"):
        return True
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
