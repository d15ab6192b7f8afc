"""What is worth knowing about the process that a run log belongs to. Environment variables are never stored."""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from surefoot.runlog.process_identity import started
from surefoot.runlog.secret import masked
from surefoot.version import __version__

GIT_SECONDS = 3.0  # a work tree on a slow disk must not hold up the log
LIBRARIES = ("torch", "numpy", "transformers", "lightning", "accelerate", "torchvision", "datasets", "jax")


def about_process(run: str, script: str, rank: int, num_ranks: int) -> dict[str, str]:
    """What costs nothing to find out."""
    return {
        "run": run,
        "rank": str(rank),
        "num_ranks": str(num_ranks),
        "surefoot": __version__,
        "script": script,
        "command": json.dumps(masked(sys.orig_argv)),
        "cwd": _cwd(),
        "pid": str(os.getpid()),
        "process_started": started(),
        "host": platform.node(),
        "started": now(),
        "attempt": "1",
    }


def about_later(folder: str) -> dict[str, str]:
    """What takes time: asked in the writer's thread, some steps after the start, when libraries are loaded."""
    return {"versions": json.dumps(_versions()), **_git(folder)}


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")


def script_name() -> str:
    """What this program calls itself: the script, or what runs instead of one."""
    name = sys.argv[0] if sys.argv else ""
    if Path(name).name in ("ipykernel_launcher.py", "colab_kernel_launcher.py"):
        return "notebook"
    return name if name not in ("", "-c", "-m") else "python"


def ranks_of(environ: Mapping[str, str] = os.environ) -> tuple[int, int]:
    """Rank and number of ranks, as torchrun and its like tell them."""
    try:
        return int(environ["RANK"]), int(environ["WORLD_SIZE"])
    except (KeyError, ValueError):
        return 0, 1


def _cwd() -> str:
    try:
        return str(Path.cwd())
    except OSError:  # it was removed
        return ""


def _versions() -> dict[str, str]:
    loaded = {name: getattr(sys.modules.get(name), "__version__", None) for name in LIBRARIES}
    found = {name: str(version) for name, version in loaded.items() if version is not None}
    return {"python": platform.python_version(), "surefoot": __version__, **found}


def _git(folder: str) -> dict[str, str]:
    commit = _ask_git(folder, "rev-parse", "HEAD")
    if not commit:
        return {"git_commit": "", "git_dirty": ""}
    changed = _ask_git(folder, "status", "--porcelain", "--untracked-files=no")
    return {"git_commit": commit.strip(), "git_dirty": "" if changed is None else str(int(bool(changed.strip())))}


def _ask_git(folder: str, *args: str) -> str | None:
    """None if there is no git, no repository, or no answer in time. It takes no lock and asks for no password."""
    quiet = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    try:
        git = subprocess.run(
            ["git", "-C", folder or ".", *args],
            capture_output=True, text=True, errors="replace", timeout=GIT_SECONDS, stdin=subprocess.DEVNULL, env=quiet,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return git.stdout if git.returncode == 0 else None
