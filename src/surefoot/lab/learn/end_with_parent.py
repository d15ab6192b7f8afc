"""A process that ends when the one that started it does, however that ended, and takes its own children along.

The parent holds the other end of stdin. When that is closed, by the parent or by the system, nobody waits any more.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

ENDED_STATUS = 130


def when_parent_ends(act: Callable[[], None]) -> None:
    """For the child, at its start."""
    line = os.dup(0)  # what stands at 0 belongs to the program
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def wait() -> None:
        with contextlib.suppress(OSError):
            while os.read(line, 1024):
                pass
        act()

    threading.Thread(target=wait, daemon=True).start()


def start(
    command: list[str], folder: Path, environ: dict[str, str], output: IO[bytes] | int = subprocess.PIPE
) -> subprocess.Popen[bytes]:
    """For the parent. The child leads a group of its own, so that Ctrl-C is the parent's to answer.

    `output` may be a file, to which all that it says goes.
    """
    return subprocess.Popen(
        command, cwd=folder, env=environ, stdin=subprocess.PIPE, stdout=output, stderr=output,
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # what Windows has instead
    )  # fmt: skip


def end(process: subprocess.Popen[bytes]) -> None:
    """With all that it started; waits until it is gone."""
    if process.poll() is not None:  # its number may be another's by now
        return
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(10)


def end_group() -> None:
    """End this process and all that it started."""
    if sys.platform != "win32" and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(ENDED_STATUS)
