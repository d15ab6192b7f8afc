"""Ranks of one start under torchrun agree on something, such as the name of their run, before they can talk."""

import contextlib
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path


def meeting_place(environ: Mapping[str, str] = os.environ) -> Path | None:
    """A folder that is the same for all ranks of one start on one machine; None for a process that is alone."""
    if "TORCHELASTIC_RUN_ID" not in environ or int(environ.get("WORLD_SIZE", "1")) < 2:
        return None
    parts = [str(os.getppid())]
    parts += [environ.get(name, "") for name in ("TORCHELASTIC_RUN_ID", "MASTER_PORT", "TORCHELASTIC_RESTART_COUNT")]
    key = re.sub(r"[^A-Za-z0-9]+", "-", "-".join(parts))
    user = os.getuid() if hasattr(os, "getuid") else 0
    return Path(tempfile.gettempdir()) / f"surefoot-{user}-{key}"


def make_place(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to somebody else")


def agree(folder: Path, rank: int, proposal: str) -> str:
    """The same answer in every rank: what the first one to ask proposed."""
    make_place(folder)
    mine, agreed = folder / f"proposal-{rank}", folder / "agreed"
    mine.write_text(proposal, encoding="utf-8")
    with contextlib.suppress(FileExistsError):
        os.link(mine, agreed)
    return agreed.read_text(encoding="utf-8")


def leave(folder: Path, rank: int, environ: Mapping[str, str] = os.environ) -> None:
    """The last of all ranks to leave takes the folder away: one that is over early must not take it from a late one."""
    num_ranks = int(environ.get("LOCAL_WORLD_SIZE", environ.get("WORLD_SIZE", "1")))
    with contextlib.suppress(OSError):
        (folder / f"proposal-{rank}").replace(folder / f"left-{rank}")
        left = list(folder.glob("left-*"))
        if len(left) >= num_ranks:
            for file in (*left, folder / "agreed"):
                file.unlink(missing_ok=True)
            folder.rmdir()
