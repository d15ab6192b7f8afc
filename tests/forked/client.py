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
from collections.abc import Iterable
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
        (status,) = self.run_together([(files, env)], args, cwd, seconds)
        return status

    def run_together(
        self, each: Iterable[tuple[dict[str, Path], dict[str, str]]], args: list[str], cwd: Path, seconds: float
    ) -> list[int]:
        """The same command with the files and environment of each, at the same time."""
        every: dict[str, Any] = {"args": args, "cwd": str(cwd), "seconds": seconds}
        order = [{**every, "env": env, **{name: str(file) for name, file in files.items()}} for files, env in each]
        self._control.sendall(json.dumps(order).encode() + b"\n")
        statuses: list[int] = json.loads(self._answers.readline())
        return statuses

    def close(self) -> None:
        self._answers.close()
        self._control.close()
        self._process.wait()


@cache
def server(kind: str) -> Server:
    """One of each kind for all tests of this process: "bare" and "surefoot"."""
    return Server(kind)


def python(*args: object, cwd: Path, **env: str) -> Done:
    """Of the options of Python only `-W ACTION`, which begins once torch is imported."""
    (done,) = _run("bare", args, cwd, [env])
    return done


def surefoot(*args: object, cwd: Path, **env: str) -> Done:
    (done,) = _run("surefoot", args, cwd, [env])
    return done


def surefoot_as_shown(*args: object, cwd: Path, **env: str) -> str:
    """What a terminal shows of it."""
    with tempfile.TemporaryDirectory() as folder:
        shown = Path(folder, "shown")
        server("surefoot").run([*map(str, args)], cwd, _files(shown, shown), environment() | env, SECONDS)
        return shown.read_text(encoding="utf-8")


def python_on_ranks(*args: object, cwd: Path, **env: str) -> list[Done]:
    """As torchrun starts two of them."""
    return _run("bare", args, cwd, [env | mine for mine in ranks_environments(2)])


def surefoot_on_ranks(*args: object, cwd: Path, **env: str) -> list[Done]:
    return _run("surefoot", args, cwd, [env | mine for mine in ranks_environments(2)])


def ranks_environments(size: int) -> list[dict[str, str]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    every = {
        "WORLD_SIZE": str(size), "LOCAL_WORLD_SIZE": str(size), "GROUP_RANK": "0", "GROUP_WORLD_SIZE": "1",
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "TORCHELASTIC_RUN_ID": "none",
        "TORCHELASTIC_RESTART_COUNT": "0", "TORCHELASTIC_MAX_RESTARTS": "0",
    }  # fmt: skip
    return [every | {"RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(size)]


def _run(kind: str, args: tuple[object, ...], cwd: Path, envs: list[dict[str, str]]) -> list[Done]:
    """The same command with each environment, at the same time."""
    assert not any(name.startswith("PYTHON") for env in envs for name in env), "Python reads these only when it starts"
    with tempfile.TemporaryDirectory() as folder:
        files = [_files(Path(folder, f"{number}.out"), Path(folder, f"{number}.err")) for number in range(len(envs))]
        each = [(mine, environment() | env) for mine, env in zip(files, envs, strict=True)]
        statuses = server(kind).run_together(each, [*map(str, args)], cwd, SECONDS)
        return [
            Done(status, mine["out"].read_bytes(), mine["err"].read_text(encoding="utf-8"))
            for status, mine in zip(statuses, files, strict=True)
        ]


def _files(out: Path, err: Path) -> dict[str, Path]:
    out.touch()
    err.touch()
    return {"in": Path(os.devnull), "out": out, "err": err}
