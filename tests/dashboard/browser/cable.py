"""What lies between browser and server, to be cut."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType
from urllib.parse import urlsplit

from tests.dashboard.browser.conftest import Dash


class Cable:
    """Another port of this machine; what it is told goes to the server, until it is cut."""

    def __init__(self, dash: Dash) -> None:
        self._server = "127.0.0.1", urlsplit(dash.root).port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self._is_whole = True
        self.root = f"http://127.0.0.1:{self._listener.getsockname()[1]}/"
        self.address = dash.address.replace(dash.root, self.root)

    def __enter__(self) -> Cable:
        self._threads = [threading.Thread(target=self._listen)]
        self._threads[0].start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()
        for thread in self._threads:
            thread.join(10)

    def cut(self) -> None:
        self._is_whole = False
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._ends.clear()

    def mend(self) -> None:
        self._is_whole = True

    def _listen(self) -> None:
        with contextlib.suppress(OSError):  # it is closed
            while True:
                near, _ = self._listener.accept()
                if not self._is_whole:
                    near.close()
                    continue
                far = socket.create_connection(self._server)
                self._ends += [near, far]
                for source, target in ((near, far), (far, near)):
                    thread = threading.Thread(target=_pass_on, args=(source, target))
                    thread.start()
                    self._threads.append(thread)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
