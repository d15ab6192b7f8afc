"""Functions called in processes of their own, so that no training loop meets what another one left behind."""

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

ROOT = Path(__file__).parents[2]
LIMIT_SECONDS = 300
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1", "NO_COLOR": "1", "KERAS_BACKEND": "torch", "HF_HUB_OFFLINE": "1",
    "CUDA_VISIBLE_DEVICES": "", "TOKENIZERS_PARALLELISM": "false", "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """What a called function returned; no value where it did not come to an end."""

    value: Any
    status: int | None  # negative: killed by that signal; None: it took too long
    output: str


class Process(Protocol):
    def wait(self, timeout: float | None = None) -> int: ...
    def kill(self) -> None: ...


def call(module: str, function: str, *arguments: object, limit: float = LIMIT_SECONDS) -> Answer:
    """Call a function in a new interpreter and wait for it."""
    return _finish(_new_interpreter, module, function, arguments, {}, limit)()


def call_apart(module: str, function: str, *arguments: object) -> Answer:
    """Call a function in a new process that has what this one has imported: importing a peer takes ten seconds."""
    return _finish(_fork_or_new, module, function, arguments, {}, LIMIT_SECONDS)()


def call_on_ranks(module: str, function: str, *arguments: object, num_ranks: int = 2) -> list[Answer]:
    """Call a function in so many processes, with the environment that torchrun gives them."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    common = {"WORLD_SIZE": str(num_ranks), "LOCAL_WORLD_SIZE": str(num_ranks), "MASTER_ADDR": "127.0.0.1"}
    common |= {"MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo", "GROUP_RANK": "0", "TORCHELASTIC_RUN_ID": "local"}
    common |= {"ACCELERATE_USE_CPU": "true"}
    finishes = [
        _finish(
            _fork_or_new, module, function, arguments, {**common, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            LIMIT_SECONDS,
        )
        for rank in range(num_ranks)
    ]  # fmt: skip
    return [finish() for finish in finishes]


def value_of(answer: Answer) -> Any:
    """The value, or an error with the process's last words."""
    if answer.status != 0:
        raise RuntimeError(f"exit status {answer.status}: {answer.output.strip()[-1500:]}")
    return answer.value


def _finish(
    start: Callable[[Path, list[str], Mapping[str, str]], Process], module: str, function: str,
    arguments: tuple[object, ...], extra: Mapping[str, str], limit: float,
) -> Callable[[], Answer]:  # fmt: skip
    """Start a process; what is returned waits for it and takes its answer."""
    folder = TemporaryDirectory()
    place = Path(folder.name)
    process = start(place, [folder.name, module, function, json.dumps(arguments, default=str)], extra)

    def finish() -> Answer:
        try:
            status: int | None = process.wait(limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            status = None
        with folder:
            value = json.loads((place / "value.json").read_text()) if status == 0 else None
            return Answer(value, status, (place / "output").read_text(errors="replace"))

    return finish


def _new_interpreter(place: Path, order: list[str], extra: Mapping[str, str]) -> Process:
    with (place / "output").open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "benchmarks.conformance.call", *order], cwd=ROOT,
            env={**os.environ, **ENVIRONMENT, **extra}, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip


def _fork_or_new(place: Path, order: list[str], extra: Mapping[str, str]) -> Process:
    if not hasattr(os, "fork"):
        return _new_interpreter(place, order, extra)
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return Forked(pid)
    try:
        with (place / "output").open("wb") as output:
            for descriptor in (1, 2):
                os.dup2(output.fileno(), descriptor)
        os.environ.update(extra)
        _answer(*order)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)


class Forked:
    """A forked process, waited for like one of subprocess."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def wait(self, timeout: float | None = None) -> int:
        give_up = time.monotonic() + (timeout or float("inf"))
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() > give_up:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
            time.sleep(0.02)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


def _answer(folder: str, module: str, function: str, arguments: str) -> None:
    value = getattr(importlib.import_module(module), function)(*json.loads(arguments))
    (Path(folder) / "value.json").write_text(json.dumps(value))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # some peers leave threads and process groups that would hold up a plain exit


if __name__ == "__main__":
    _answer(*sys.argv[1:])
