"""A dashboard as a user starts it, for attacks over its socket."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import HTTPRedirectHandler, Request, build_opener

import surefoot as sf

SECRET = "secret-run-4b1d"  # part of the run's name: who reads it has been let in


@dataclass
class Target:
    """`said` are the lines of its console."""

    host: str
    port: int
    cookie: str
    pid: int
    run: str
    said: list[str] = field(default_factory=list)

    def connect(self, timeout_seconds: float = 30.0) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout_seconds)

    def megabytes(self) -> float:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))

    def descriptors(self) -> int:
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *given: object) -> None:
        return None


@contextmanager
def dashboard(folder: Path) -> Iterator[Target]:
    with sf.start_run(folder / "runs", name=SECRET) as run:
        for step in range(50):
            run.log({"loss": 1.0 / (step + 1)}, step)
    command = [sys.executable, "-m", "surefoot", "dash", str(folder / "runs"), "--port", "0", "--no-browser"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder)
    assert process.stderr is not None
    said: list[str] = []
    try:
        for line in process.stderr:
            said.append(line)
            found = re.search(r"http://([\d.]+):(\d+)/\?token=(\S+)", line)
            if found:
                break
        else:
            raise RuntimeError("the dashboard did not start: " + "".join(said))
        said.clear()
        threading.Thread(target=said.extend, args=(process.stderr,), daemon=True).start()
        yield Target(found[1], int(found[2]), _cookie(found[0]), process.pid, run.name, said)
    finally:
        process.terminate()
        process.wait()


def _cookie(address: str) -> str:
    from urllib.error import HTTPError

    try:
        build_opener(_NoRedirect).open(Request(address))
    except HTTPError as answer:
        return answer.headers["Set-Cookie"].partition(";")[0]
    raise RuntimeError("the token was not exchanged for a cookie.")
