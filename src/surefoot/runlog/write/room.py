"""Room for the index that SQLite keeps beside a write-ahead log.

It is a file mapped into memory. On a full disk whose blocks are smaller than a page, writing to that memory ends the
process with SIGBUS. So nobody makes an index on a full disk, and a writer's index gets all its blocks in advance.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sqlite3
from functools import cache
from pathlib import Path
from typing import Any

NEEDED_BYTES = 2**17


def has_room(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free >= NEEDED_BYTES
    except OSError:
        return True  # whoever opens a file there will say what is wrong


def check_room(folder: Path) -> None:
    if not has_room(folder):
        raise sqlite3.OperationalError("the disk is full")


def allocate(number: int) -> None:
    """All blocks of an open file, where the system can do that; what is in it stays."""
    fallocate = _fallocate()
    if fallocate is None or fallocate(number, 0, ctypes.c_int64(0), ctypes.c_int64(os.fstat(number).st_size)) == 0:
        return
    if ctypes.get_errno() == errno.ENOSPC:
        raise sqlite3.OperationalError("the disk is full")


@cache
def _fallocate() -> Any:
    """Not `posix_fallocate`, which writes to a file where the file system has no such call: others write there too."""
    try:
        return ctypes.CDLL(None, use_errno=True).fallocate
    except (OSError, TypeError, AttributeError):
        return None
