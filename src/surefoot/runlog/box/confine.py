"""What a process that runs queries may take of the machine, as far as the system can enforce it."""

from __future__ import annotations

import os
import re
import sys

# Address space beyond what a query may use: what allocators reserve for threads, and what Python needs for the rows.
ROOM_BYTES = 1 << 30
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def read_memory(text: str) -> int:
    """Bytes, from "2GB" or "500MB"."""
    parsed = re.fullmatch(r"\s*([\d.]+)\s*([KMGT]?)B?\s*", text.upper())
    if parsed is None:
        raise ValueError(f'memory must be an amount such as "2GB" or "500MB", got {text!r}.')
    return int(float(parsed[1]) * _UNITS[parsed[2]])


def confine(memory_bytes: int) -> None:
    """For the rest of this process's life. Windows and macOS have no such limit of memory: there DuckDB's own holds."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # what is in memory is not written to a file
    used = _address_space()
    if used is not None:
        most = used + memory_bytes + ROOM_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _address_space() -> int | None:
    try:
        with open("/proc/self/statm", encoding="ascii") as sizes:  # noqa: PTH123
            return int(sizes.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None
