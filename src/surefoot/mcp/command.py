"""One command of surefoot, run in a process of its own: it may hang, print without end, or fail."""

import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import anyio

from surefoot.facts.frozen import frozen

KEPT_BYTES = 64_000  # of the beginning and of the end of what a command prints
GRACE_SECONDS = 15.0  # to tell what it found so far, once it is interrupted
TICK_SECONDS = 5.0
# What lies in the working folder must not stand in the place of a module that surefoot itself imports.
_START = "import sys; sys.path[0] = sys.prefix; from surefoot.cli.main import main; sys.exit(main())"


@frozen
class Ran:
    status: int
    is_cut_short: bool  # it was interrupted at its limit of time
    out: str
    err: str
    num_out: int = 0  # bytes, of which `out` may leave some out in the middle


async def run_command(
    args: Sequence[str],
    *,
    folder: Path,
    seconds: float,
    text: str = "",
    tick: Callable[[float], Awaitable[None]] | None = None,
) -> Ran:
    """`text` is what it reads from stdin; `tick` is told now and then how many seconds it has run."""
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(text.encode())
        given.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-c", _START, *args],
            cwd=folder, stdin=given, stdout=out, stderr=err, start_new_session=True,
        )  # fmt: skip
        try:
            is_cut_short = not await _wait(process, seconds, tick)
            if is_cut_short:
                _signal(process, signal.SIGINT)
                await _wait(process, GRACE_SECONDS, tick)
        finally:
            _end(process)
        return Ran(process.returncode, is_cut_short, _kept(out), _kept(err), out.seek(0, os.SEEK_END))


async def _wait(
    process: "subprocess.Popen[bytes]", seconds: float, tick: Callable[[float], Awaitable[None]] | None
) -> bool:
    """Whether it has ended."""
    begin = last = anyio.current_time()
    while process.poll() is None:
        now = anyio.current_time()
        if now - begin >= seconds:
            return False
        if tick is not None and now - last >= TICK_SECONDS:
            last = now
            await tick(now - begin)
        await anyio.sleep(0.02)
    return True


def _end(process: "subprocess.Popen[bytes]") -> None:
    """With all that it started in its group."""
    _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    process.wait()


def _signal(process: "subprocess.Popen[bytes]", number: int) -> None:
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        elif process.poll() is None:
            process.kill()
    except (ProcessLookupError, PermissionError):  # nobody of the group is left
        pass


def _kept(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if size <= 2 * KEPT_BYTES:
        return file.read().decode(errors="replace")
    begin = file.read(KEPT_BYTES)
    file.seek(size - KEPT_BYTES)
    return (
        f"{begin.decode(errors='replace')}\n… {size - 2 * KEPT_BYTES} bytes …\n{file.read().decode(errors='replace')}"
    )
