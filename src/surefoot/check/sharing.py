"""One process for several experiments: it runs the program up to its import of torch, and forks there for each.

Importing torch takes longer than the steps of most experiments. Programs set environment variables before they import
torch, so the process is one of the program itself, not one that has torch beforehand.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
from pathlib import Path

ENDED = "ended"  # in the folder: the fork for an experiment is gone, and the next one may come
POLL_SECONDS = 0.02
OWN_THREADS = 2  # the main one, and the one that waits for the end of the parent
ACCELERATORS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # whose drivers do not work in forks
PRELOADED = (  # what every experiment imports, the first optimizer among them
    "torch._dynamo", "torch.utils.data", "surefoot.sanitizer", "surefoot.rules.catalogue", "surefoot.check.instruments",
)  # fmt: skip


def open_files() -> int:
    return len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0  # noqa: PTH208  # a path has no need


def can_share(num_open: int, has_written: bool) -> bool:
    """What the program did before its import of torch must not differ between forks, nor be common to them."""
    return (
        sys.platform == "linux"
        and not has_written
        and open_files() == num_open
        and threading.current_thread() is threading.main_thread()
        and threading.active_count() <= OWN_THREADS
        and not any(Path(device).exists() for device in ACCELERATORS)
    )


def fork_for_each(order: Path) -> str:
    """Returns in each fork what the file said that ordered it. The process itself is ended from outside."""
    for name in PRELOADED:
        importlib.import_module(name)
    cwd = Path.cwd()
    while True:
        while not order.exists():
            time.sleep(POLL_SECONDS)
        text = order.read_text(encoding="utf-8")
        order.unlink()
        pid = os.fork()
        if not pid:
            os.chdir(cwd)  # the folder of this name may be another one by now
            return text
        os.waitpid(pid, 0)
        (order.parent / ENDED).touch()
