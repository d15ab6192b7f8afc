"""A program that becomes another one by `os.exec…`: surefoot stays behind to tell what that one does."""

import os
import signal
import threading
from collections.abc import Mapping
from typing import Any


def run_instead(path: str, argv: list[str], env: Mapping[Any, Any]) -> int:
    """Run it as a child with the same files and signals; its exit status, negative for a signal."""
    pid = os.posix_spawn(path, argv, env)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to both
        signal.signal(signal.SIGTERM, lambda number, frame: os.kill(pid, number))
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def end_like(status: int) -> None:
    """End at once, without exit functions: the program that was replaced does not come to its end."""
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)
