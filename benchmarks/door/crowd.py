"""A thousand connections that say nothing, or begin and do not go on, while somebody wants an answer."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass

from benchmarks.door.server import Target
from surefoot.dashboard.server.connection import MOST, REQUEST_SECONDS

_BEGUN = (
    b"",
    b"G",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
)
BACKLOG = 128  # that the server may accept in one go before others have to go
SLACK_SECONDS = 10.0  # of a busy machine


@dataclass
class Crowd:
    num: int
    most_held: int  # connections that the server had open at once
    slowest_seconds: float  # to answer a whole request meanwhile
    num_left: int  # still open when the time for a request was over
    wrong: list[str]


def crowd(target: Target, num: int) -> Crowd:
    before = target.descriptors()
    found = Crowd(num, 0, 0.0, 0, [])
    silent: list[socket.socket] = []
    try:
        for number in range(num):
            connection = target.connect()
            silent.append(connection)
            connection.sendall(_BEGUN[number % len(_BEGUN)])
            if number % 50 == 49:
                found.most_held = max(found.most_held, target.descriptors() - before)
                found.slowest_seconds = max(found.slowest_seconds, _ask(target, found))
        time.sleep(REQUEST_SECONDS + SLACK_SECONDS)
        found.num_left = max(0, target.descriptors() - before)
    finally:
        for connection in silent:
            connection.close()
    if found.most_held > MOST + BACKLOG:
        found.wrong.append(f"{found.most_held} connections were held")
    if found.num_left > 5:  # one or two threads of the server may have opened a file
        found.wrong.append(f"{found.num_left} connections were left")
    return found


def _ask(target: Target, found: Crowd) -> float:
    request = (
        f"GET /api/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: {target.cookie}\r\n\r\n".encode()
    )
    begun = time.monotonic()
    try:
        with target.connect() as connection:
            connection.sendall(request)
            if not connection.recv(100).startswith(b"HTTP/1.1 200"):
                found.wrong.append("a whole request was not answered")
    except OSError as error:
        found.wrong.append(f"a whole request was not answered: {error}")
    return time.monotonic() - begun
