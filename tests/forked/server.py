"""Imports torch once, then forks a process for each program that it is asked to run, bare or by surefoot.

An order is a list of programs, which run at the same time, such as ranks.

Starting Python with torch takes four seconds, a fork a few hundredths. A child leaves `serve` and runs the program at
the bottom of this file, so that Python ends it as any other: threads, exit functions and unhandled exceptions included.
"""

import ctypes
import gc
import json
import multiprocessing.process
import os
import signal
import socket
import sys
import time
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

POLL_SECONDS = 0.005


def serve(control: socket.socket) -> dict[str, Any]:
    """Answer each order with the exit statuses of its programs. Only children return, with their program."""
    for line in control.makefile("r"):
        programs: list[dict[str, Any]] = json.loads(line)
        children = []
        for program in programs:
            child = os.fork()
            if not child:
                control.detach()
                os.close(int(sys.argv[2]))
                return program
            children.append(child)
        statuses = [_wait(child, program["seconds"]) for child, program in zip(children, programs, strict=True)]
        control.sendall(json.dumps(statuses).encode() + b"\n")
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


def become(program: dict[str, Any]) -> None:
    """The process that a shell would have started."""
    os.setpgid(0, 0)
    os.chdir(program["cwd"])
    multiprocessing.process.ORIGINAL_DIR = program["cwd"]  # where spawned processes look for the script
    os.environ.clear()
    os.environ.update(program["env"])
    is_shared = program["out"] == program["err"]
    writing = os.O_WRONLY | (os.O_APPEND if is_shared else 0)
    for number, name, flags in ((0, "in", os.O_RDONLY), (1, "out", writing), (2, "err", writing)):
        opened = os.open(program[name], flags)
        os.dup2(opened, number)
        os.close(opened)
    if is_shared:  # what is said stands where it was said
        sys.stdout.reconfigure(write_through=True)


def end_when_python_has() -> None:
    """Leave out the destructors of torch's C++ globals: in a fork they copy its memory first, which takes longest."""
    libc = ctypes.CDLL(None)
    libc.on_exit(libc._exit, None)  # it is given the exit status
    libc.__cxa_atexit(libc.fflush, None, None)  # the last that is registered comes first


def run_bare(path: str, args: list[str]) -> None:
    if path == "-W":  # the one option of Python that is known here
        warnings.simplefilter(args[0])
        path, *args = args[1:]
    main = ModuleType("__main__")
    main.__file__ = path
    sys.modules["__main__"] = main
    sys.argv = [path, *args]
    sys.orig_argv = [sys.executable, *sys.argv]
    sys.path[0] = str(Path(path).resolve().parent)
    exec(compile(Path(path).read_bytes(), path, "exec", dont_inherit=True), main.__dict__)


if __name__ == "__main__":
    has_surefoot = sys.argv[1] == "surefoot"
    import torch._dynamo  # noqa: F401  # the first optimizer imports it, which takes as long as torch itself

    if has_surefoot:
        import surefoot.cli.run_command
        import surefoot.report.text
        import surefoot.sanitizer  # noqa: F401
        from surefoot.cli.main import main
        from surefoot.rules.catalogue import catalogue

        catalogue()
    gc.collect()
    gc.freeze()  # else the collector touches, and so copies, all that children share
    program = serve(socket.socket(fileno=int(sys.argv[2])))
    become(program)
    end_when_python_has()
    if has_surefoot:
        sys.path[0] = program["cwd"]
        sys.argv = ["surefoot", *program["args"]]
        sys.orig_argv = [sys.executable, "-m", *sys.argv]
        sys.exit(main(program["args"]))
    run_bare(program["args"][0], program["args"][1:])
