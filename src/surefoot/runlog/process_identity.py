"""Which process this is, and whether another one is still alive: a number alone may have been given away again."""

import os
import platform
import subprocess
from pathlib import Path

PS, PS_SECONDS = "/bin/ps", 2.0
SYSTEM = platform.system()


def started(pid: int | None = None) -> str:
    """When a process was started, in a form that is only to be compared; "" if that can't be told, or it is gone."""
    pid = os.getpid() if pid is None else pid
    if SYSTEM == "Linux":
        return _started_linux(pid)
    if SYSTEM == "Darwin":
        return _started_ps(pid)
    return ""


def is_alive(pid: int, since: str) -> bool | None:
    """Whether the process of this host with that number and start is there; None if this system can't tell safely."""
    if SYSTEM not in ("Linux", "Darwin") or not since:
        return None
    return started(pid) == since


def _started_linux(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
    fields = stat.rpartition(")")[2].split()  # the name before it may hold anything
    return "" if fields[0] in "ZX" else f"{boot}:{fields[19]}"


def _started_ps(pid: int) -> str:
    try:
        ps = subprocess.run(
            [PS, "-o", "lstart=", "-p", str(pid)],
            capture_output=True, text=True, timeout=PS_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return ps.stdout.strip()
