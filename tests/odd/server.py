"""Imports torch once, then forks a process for each program it is asked to run, bare or watched.

A child leaves `serve` and runs the program at the bottom of this file, so that it ends as any Python process ends:
threads, exit functions and unhandled exceptions included.
"""

import gc
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

POLL_SECONDS = 0.005


def serve(control: socket.socket) -> dict[str, Any]:
    """Answer each order with the exit status of its child. Only children return, with their order."""
    for line in control.makefile("r"):
        order: dict[str, Any] = json.loads(line)
        child = os.fork()
        if not child:
            control.detach()
            os.close(int(sys.argv[2]))
            return order
        control.sendall(f"{_wait(child, order['seconds'])}\n".encode())
    os._exit(0)


def _wait(child: int, seconds: float) -> int:
    """Its exit status, negative if a signal ended it."""
    deadline = time.monotonic() + seconds
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
            deadline = float("inf")
        time.sleep(POLL_SECONDS)


def become(order: dict[str, Any]) -> None:
    """The process that a shell would have started."""
    os.setpgid(0, 0)
    os.chdir(order["cwd"])
    for number, name, flags in ((0, "in", os.O_RDONLY), (1, "out", os.O_WRONLY), (2, "err", os.O_WRONLY)):
        opened = os.open(order[name], flags)
        os.dup2(opened, number)
        os.close(opened)


def run_bare(path: str) -> None:
    main = ModuleType("__main__")
    main.__file__ = path
    sys.modules["__main__"] = main
    sys.argv = [path]
    sys.path[0] = str(Path(path).parent)
    exec(compile(Path(path).read_bytes(), path, "exec", dont_inherit=True), main.__dict__)


if __name__ == "__main__":
    is_watched = sys.argv[1] == "watched"
    import torch._dynamo  # noqa: F401  # the first optimizer imports it, which takes as long as torch itself

    if is_watched:
        import surefoot.cli.run_command
        import surefoot.report.text
        import surefoot.sanitizer  # noqa: F401
        from surefoot.cli.main import main
    gc.collect()
    gc.freeze()  # else the collector touches, and so copies, all that children share
    order = serve(socket.socket(fileno=int(sys.argv[2])))
    become(order)
    if is_watched:
        sys.exit(main(["run", *order["options"], order["program"]]))
    run_bare(order["program"])
