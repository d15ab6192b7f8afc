"""Connections that say nothing, too little or too slowly, and too many of them; over real sockets."""

import asyncio
import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from uvicorn.server import ServerState

from surefoot.dashboard.server import connection, console
from surefoot.dashboard.server.app import make_app
from surefoot.dashboard.server.auth import Auth
from surefoot.dashboard.server.connection import Connection
from surefoot.dashboard.server.serve import Listening, Server, listen

WHOLE = b"GET /api/runs HTTP/1.1\r\nHost: localhost\r\n\r\n"
PATIENCE_SECONDS = 60.0  # only to end what hangs


@pytest.fixture
def connect(log: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], socket.socket]]:
    """A server in a thread whose limits are short."""
    monkeypatch.setattr(connection, "REQUEST_SECONDS", 0.3)
    monkeypatch.setattr(connection, "MOST", 5)
    listener = listen(Listening(log, port=0))
    app, live = make_app(log, Auth())
    started = threading.Event()
    config = uvicorn.Config(app, http=Connection, ws="none", lifespan="off", log_config=None, timeout_keep_alive=1)
    server = Server(config, live, started.set)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
    thread.start()
    started.wait()
    with contextlib.ExitStack() as opened:
        yield lambda: opened.enter_context(socket.create_connection(listener.getsockname(), PATIENCE_SECONDS))
    server.should_exit = True
    thread.join()


def everything(peer: socket.socket) -> bytes:
    """Until the server closes the connection; hangs up to the time-out if it does not."""
    content = b""
    with contextlib.suppress(ConnectionResetError):
        while part := peer.recv(65536):
            content += part
    return content


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
        b"POST /api/query HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Length: 9\r\n\r\n{",
    ],
)
def test_a_request_that_does_not_come_to_its_end_is_not_waited_for(
    connect: Callable[[], socket.socket], begun: bytes
) -> None:
    peer = connect()
    peer.sendall(begun)
    assert b"200 OK" not in everything(peer)


def test_dripping_bytes_win_no_time(connect: Callable[[], socket.socket]) -> None:
    peer = connect()
    peer.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
    with pytest.raises(OSError):
        for _ in range(int(PATIENCE_SECONDS / 0.05)):
            peer.sendall(b"x")
            time.sleep(0.05)


def test_whole_requests_are_answered_one_after_another(
    connect: Callable[[], socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "REQUEST_SECONDS", PATIENCE_SECONDS)
    peer = connect()
    for _ in range(3):
        peer.sendall(WHOLE)
        told = b""
        while not told.endswith(b"}"):
            told += peer.recv(65536)
        assert told.startswith(b"HTTP/1.1 401")


def test_the_longest_silent_make_room(connect: Callable[[], socket.socket], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "REQUEST_SECONDS", PATIENCE_SECONDS)
    silent = [connect() for _ in range(20)]
    late = connect()
    late.sendall(WHOLE)
    assert late.recv(65536).startswith(b"HTTP/1.1 401")
    assert [everything(peer) for peer in silent[:15]] == [b""] * 15


class Wire(asyncio.Transport):
    """Closed at once, though its protocol is told in the next turn of the loop."""

    def __init__(self) -> None:
        super().__init__()
        self.is_open = True
        self.sent = b""

    def is_closing(self) -> bool:
        return not self.is_open

    def abort(self) -> None:
        self.is_open = False

    close = abort

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent += data


def test_many_that_come_at_once_are_no_more_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MOST", 5)

    async def come() -> tuple[list[Wire], list[Wire]]:
        state = ServerState()
        config = uvicorn.Config(Starlette(), log_config=None)
        silent = [Wire() for _ in range(20)]
        for wire in silent:
            Connection(config, state, {}).connection_made(wire)
        for one in state.connections:
            one._stop_waiting()  # type: ignore[union-attr]
        late = [Wire() for _ in range(3)]
        for wire in late:
            Connection(config, state, {}).connection_made(wire)
        return silent, late

    silent, late = asyncio.run(come())
    assert [wire.is_open for wire in silent] == [False] * 15 + [True] * 5, "the silent have made room"
    assert not any(wire.is_open for wire in late), "those who are being answered have not"
    assert all(wire.sent.startswith(b"HTTP/1.1 503") for wire in late)


def test_what_libraries_report_is_one_line() -> None:
    said: list[str] = []
    before = {name: (logging.getLogger(name).handlers, logging.getLogger(name).level) for name in console.LOGGERS}
    try:
        console.quiet(said.append)
        logger = logging.getLogger("uvicorn.error")
        logger.warning("No supported WebSocket library detected.")
        try:
            raise ValueError("two\nlines")
        except ValueError as error:
            logger.error("Exception in ASGI application\n", exc_info=error)
        logging.getLogger("asyncio").error("Task was destroyed\nbut it is pending")
    finally:
        for name, (handlers, level) in before.items():
            logging.getLogger(name).handlers, logging.getLogger(name).propagate = handlers, True
            logging.getLogger(name).setLevel(level)
    told = "the dashboard could not answer a request: "
    assert said == [f"{told}ValueError: two lines", f"{told}Task was destroyed"]
