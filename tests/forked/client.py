"""Run programs in forks of a process that has torch already: `python` and `surefoot` as in tests/cli/command.py.

Use them for programs that train. What only a new process shows (options of Python, its environment variables, what is
imported when) is tested by the true command line.
"""

import atexit
import json
import os
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from tests.cli.command import Done, environment

SERVER = Path(__file__).with_name("server.py")
SECONDS = 250.0  # only to end what hangs


class Server:
    """A process that has imported torch, and surefoot if it is to run its commands."""

    def __init__(self, kind: str) -> None:
        mine, its = socket.socketpair()
        number = its.fileno()
        env = {name: value for name, value in environment().items() if not name.startswith("COVERAGE")}
        self._process = subprocess.Popen([sys.executable, SERVER, kind, str(number)], pass_fds=[number], env=env)
        its.close()
        self._control = mine
        self._answers = mine.makefile("r")
        atexit.register(self.close)

    def run(self, args: list[str], cwd: Path, files: dict[str, Path], env: dict[str, str], seconds: float) -> int:
        """The exit status. `files` are those of "in", "out" and "err"; the last two must exist."""
        streams = {name: str(file) for name, file in files.items()}
        order: dict[str, Any] = {"args": args, "cwd": str(cwd), "env": env, "seconds": seconds, **streams}
        self._control.sendall(json.dumps(order).encode() + b"\n")
        return int(self._answers.readline())

    def close(self) -> None:
        self._answers.close()
        self._control.close()
        self._process.wait()


@cache
def server(kind: str) -> Server:
    """One of each kind for all tests of this process: "bare" and "surefoot"."""
    return Server(kind)


def python(*args: object, cwd: Path, **env: str) -> Done:
    return _run("bare", args, cwd, env)


def surefoot(*args: object, cwd: Path, **env: str) -> Done:
    return _run("surefoot", args, cwd, env)


def _run(kind: str, args: tuple[object, ...], cwd: Path, env: dict[str, str]) -> Done:
    assert not any(name.startswith("PYTHON") for name in env), "Python reads these only when it starts"
    with tempfile.TemporaryDirectory() as folder:
        files = {"in": Path(os.devnull), "out": Path(folder, "out"), "err": Path(folder, "err")}
        for name in ("out", "err"):
            files[name].touch()
        status = server(kind).run([*map(str, args)], cwd, files, environment() | env, SECONDS)
        return Done(status, files["out"].read_bytes(), files["err"].read_text(encoding="utf-8"))
