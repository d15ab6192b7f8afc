"""Runs one process to its end and tells what it and its children used."""

import os
import resource
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from benchmarks.programs.program import environment

MAXRSS_PER_MB = 1024  # Linux counts it in kilobytes
PATIENCE = 5  # times its limit of CPU seconds that a run may take by the clock, on a busy machine


class RunError(Exception):
    """A program failed, or took far too long."""


@dataclass(frozen=True, slots=True)
class Usage:
    cpu_seconds: float  # user and system time of the whole process tree
    peak_mb: float  # of its largest process
    wall_seconds: float
    status: int
    stdout: str


def run(command: list[str], limit_seconds: int, allowed: frozenset[int]) -> Usage:
    """Run a command in an empty folder of its own, where its run log goes, too."""
    with (
        tempfile.TemporaryDirectory(prefix="surefoot-bench-") as folder,
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as errors,
    ):
        started = time.monotonic()
        status, used = _wait(_start(command, folder, out, errors), limit_seconds)
        wall = time.monotonic() - started
        if status == -signal.SIGXCPU or wall >= PATIENCE * limit_seconds:
            raise RunError(f"gave up after {used.ru_utime + used.ru_stime:.0f} s of CPU time, {wall:.0f} s in all")
        if status not in allowed:
            raise RunError(f"exit status {status}: {_read(errors)[-1500:]}")
        return Usage(used.ru_utime + used.ru_stime, used.ru_maxrss / MAXRSS_PER_MB, wall, status, _read(out))


def _start(command: list[str], folder: str, out: IO[str], errors: IO[str]) -> "subprocess.Popen[bytes]":
    # A session of its own: Ctrl-C reaches us alone, and we end the whole tree.
    return subprocess.Popen(
        command, cwd=Path(folder), stdin=subprocess.DEVNULL, stdout=out, stderr=errors, env=environment(),
        start_new_session=True,
    )  # fmt: skip


def _wait(process: "subprocess.Popen[bytes]", limit_seconds: int) -> tuple[int, "os.struct_rusage"]:
    resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit_seconds, limit_seconds + 5))
    timer = threading.Timer(PATIENCE * limit_seconds, _end, (process.pid,))
    timer.start()
    try:
        _, status, used = os.wait4(process.pid, 0)
    except BaseException:
        _end(process.pid)
        process.wait()
        raise
    finally:
        timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used


def _end(group: int) -> None:
    with suppress(ProcessLookupError):  # it may just have ended by itself
        os.killpg(group, signal.SIGKILL)


def _read(file: IO[str]) -> str:
    file.seek(0)
    return file.read()
