"""Requests made of valid parts, wrong parts and noise, over raw sockets."""

# ruff: noqa: E501 - parts of requests stand as they are sent

from __future__ import annotations

import contextlib
import random
import socket
import threading
from collections import Counter
from dataclasses import dataclass, field

from benchmarks.door.server import SECRET, Target

_METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "G\0T", "")
_PATHS = (
    "/", "/api/runs", "/api/runs/{run}", "/api/runs/{run}/series", "/api/runs/{run}/params", "/api/runs/{run}/findings",
    "/api/runs/{run}/heatmap", "/api/runs/{run}/hists", "/api/compare", "/api/rules/stale-gradients", "/api/learn",
    "/api/learn/families/grad", "/api/learn/stale-gradients", "/api/traces", "/api/traces/x", "/api/query",
    "/api/descent", "/api/edit", "/api/columns",
    "/api/runs/{run}/media", "/api/runs/{run}/media/rank-0/x.png", "/api/runs/{run}/media/..%2f..%2fx/rank-0.db", "/static/index.html", "/static/", "/static/../server/door.py", "/static/%2e%2e/%2e%2e/version.py",
    "/static//etc/passwd", "/api/runs/..%2f..%2fetc", "/api/runs/%00", "//evil.example/", "/api/runs/" + "a" * 5000,
    "http://evil.example/api/runs", "*", "/api/traces/..%2f..%2fx.json", "/%ff%fe", "/api/runs/{run}%0d%0aX: y",
)  # fmt: skip
_HOSTS = (
    "{own}",
    "{own}",
    "{own}",
    "localhost",
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost/evil",
    "",
    "[::1",
    "a@localhost",
)
_ORIGINS = ("",) * 6 + ("http://{own}",) * 8 + ("http://evil.example", "null", "http://[", "file://")
_TYPES = ("", "application/json", "application/json; charset=x", "text/plain", "multipart/form-data; boundary=")
_QUERIES = (
    "", "name=loss", "name=%00", "first=-1&last=99999999999999999999", "num=1e309", "rank=NaN", "run=a&run=b&run=" + "c" * 3000,
    "token=x", "token=" + "a" * 9000, "width=0", "cursor=%ff", "name=" + "%F0%9F%98%80" * 50, "a[]=1", "&&&===", "name=loss&buckets=-5",
)  # fmt: skip
_BODIES = (
    b"", b"{}", b'{"sql": "SELECT 1"}', b'{"sql": 1}', b"[" * 5000, b'{"sql": "' + b"x" * 2000 + b'"}', b"\xff" * 100,
    b'{"runs": ["x"], "set": {"name": "\\ud800"}}', b'{"undo": {"x": 1e400}}', b'{"delete": [".."]}', b'{"restore": ["../..", "\\u0000"]}',
    b'{"paths": [{}]}', b'{"paths": 1e999}', b"null", b'{"sql": "SELECT \\ud800"}', b'{"sql": "DROP TABLE runs"}',
)  # fmt: skip
_HEADERS = (
    "Upgrade: websocket\r\nConnection: Upgrade", "Range: bytes=0-99999999999", "X: " + "y" * 500, "Bad Header",
    "Sec-Fetch-Site: cross-site", "Transfer-Encoding: chunked", "Expect: 100-continue", "Cookie: a=b; c",
)  # fmt: skip
_NOISE = (
    b"\x16\x03\x01\x02\x00",
    b"\0" * 64,
    b"\r\n" * 40,
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\xff" * 500,
    b"A" * 70_000,
)

SILENT_SECONDS = 3.0
HANGING_SECONDS = 60.0


@dataclass
class Outcome:
    num_requests: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def fuzz(target: Target, num: int, *, num_threads: int = 8, seed: int = 0) -> Outcome:
    outcome, lock = Outcome(), threading.Lock()

    def attack(part: int) -> None:
        draw = random.Random(f"{seed} {part}")
        for _ in range(num // num_threads):
            has_cookie = draw.random() < 0.6
            request = make_request(draw, target, target.cookie if has_cookie else "")
            answer = _send(target, request)
            with lock:
                _judge(request, answer, outcome, has_cookie=has_cookie)

    threads = [threading.Thread(target=attack, args=(part,)) for part in range(num_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcome


def make_request(draw: random.Random, target: Target, cookie: str) -> bytes:
    """Half of them are right but for what is asked: they get past the door."""
    if draw.random() < 0.05:
        return draw.choice(_NOISE)
    path = draw.choice(_PATHS).replace("{run}", draw.choice((target.run, target.run, "x", "%3Cscript%3E")))
    query = draw.choice(_QUERIES)
    body = draw.choice(_BODIES) if draw.random() < 0.5 else b""
    is_proper = draw.random() < 0.5
    method = ("POST" if body else "GET") if is_proper else draw.choice(_METHODS)
    lines = [f"{method} {path}{'?' * bool(query)}{query} HTTP/1.1", "Connection: close"]
    lines += _envelope(draw, target, body) if not is_proper else _proper_envelope(target, body)
    lines += [f"Cookie: {cookie or f'surefoot-{target.port}={draw.random()}'}"]
    request = "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + body
    if not is_proper and draw.random() < 0.2:  # damaged on its way
        at = draw.randrange(len(request))
        request = request[:at] + bytes(draw.randrange(256) for _ in range(3)) + request[at + 3 :]
    return request


def _proper_envelope(target: Target, body: bytes) -> list[str]:
    own = f"{target.host}:{target.port}"
    return [f"Host: {own}", f"Origin: http://{own}", "Content-Type: application/json", f"Content-Length: {len(body)}"]


def _envelope(draw: random.Random, target: Target, body: bytes) -> list[str]:
    own = f"{target.host}:{target.port}"
    lines = [f"Host: {draw.choice(_HOSTS)}", f"Content-Length: {len(body) + draw.choice((0,) * 20 + (-1, 1))}"]
    for name, values in (("Origin", _ORIGINS), ("Content-Type", _TYPES)):
        value = draw.choice(values)
        lines += [f"{name}: {value}"] if value else []
    lines += draw.choices(_HEADERS, k=draw.choice((0, 0, 0, 1, 2)))
    return [line.replace("{own}", own) for line in lines]


def _send(target: Target, request: bytes) -> bytes:
    """What comes back. A request that ends in the middle gets no answer: then we say that nothing more will come."""
    content = b""
    try:
        with target.connect(SILENT_SECONDS) as connection:
            connection.sendall(request)
            with contextlib.suppress(TimeoutError):
                while part := connection.recv(65536):
                    content += part
                return content
            connection.settimeout(HANGING_SECONDS)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65536):
                content += part
    except TimeoutError:
        return b"TIMEOUT"
    except OSError:
        pass
    return content


def _judge(request: bytes, answer: bytes, outcome: Outcome, *, has_cookie: bool) -> None:
    status = answer.split(b" ", 2)[1].decode("latin-1") if answer.startswith(b"HTTP/1.1 ") else "closed"
    outcome.num_requests += 1
    outcome.statuses[status] += 1
    shown = request[:300]
    if answer == b"TIMEOUT":
        outcome.wrong.append(f"no answer to {shown!r}")
    if status == "500" or b"Traceback" in answer:
        outcome.wrong.append(f"{answer[:200]!r} to {shown!r}")
    if not has_cookie and (SECRET.encode() in answer or status == "200"):
        outcome.wrong.append(f"a stranger was answered {answer[:200]!r} to {shown!r}")
    if b"root:x:" in answer or b"class Door" in answer:
        outcome.wrong.append(f"a file was sent to {shown!r}")
