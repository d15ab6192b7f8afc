"""A real HTTP server that takes alerts, or fails to."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver:
    """What was posted, in order; `statuses` are answered first, then 200. `delay` seconds before each answer."""

    def __init__(self, statuses: tuple[int, ...] = (), delay: float = 0.0) -> None:
        self.posted: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.statuses = list(statuses)
        self.delay = delay
        self.port = 0

    @property
    def url(self) -> str:
        return f"json://127.0.0.1:{self.port}/hook/SECRET"

    def wait(self, num: int, seconds: float = 20.0) -> list[dict[str, Any]]:
        """Until so many have come."""
        deadline = time.monotonic() + seconds
        while len(self.posted) < num and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(self.posted) >= num, self.posted
        return self.posted


@contextmanager
def receiving(*statuses: int, delay: float = 0.0) -> Iterator[Receiver]:
    receiver = Receiver(statuses, delay)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            time.sleep(receiver.delay)
            status = receiver.statuses.pop(0) if receiver.statuses else 200
            receiver.headers.append(dict(self.headers))
            receiver.paths.append(self.path)
            if status == 200:
                receiver.posted.append(json.loads(body))
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            raise AssertionError("alerts are posted")

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
