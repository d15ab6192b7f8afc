"""Media of a run, as the page lists them, and their files, checked."""

from __future__ import annotations

import base64
from typing import Any

from surefoot.runlog.media.kind import TYPES
from surefoot.runlog.read.media import StoredMedium
from surefoot.runlog.read.process import StoredProcess
from surefoot.runlog.read.run import Run

MOST_LISTED = 20_000


def list_media(run: Run) -> list[dict[str, Any]]:
    """Of all processes, by step; the newest, if there are too many."""
    found = [line for process in run for line in _lines(process)]
    return sorted(found, key=lambda line: (line["step"], line["number"]))[-MOST_LISTED:]


def _lines(process: StoredProcess) -> list[dict[str, Any]]:
    return [
        {
            "name": one.name, "step": one.step, "number": one.number, "kind": one.kind, "file": one.path.name,
            "process": process.name, "rank": process.rank, "bytes": one.num_bytes, "about": dict(one.about),
        }
        for one in process.media()
    ]  # fmt: skip


def find_medium(run: Run, process: str, file: str) -> StoredMedium:
    """Only what the log names: no path leads anywhere else."""
    for one in run:
        if one.name == process:
            for medium in one.media():
                if medium.path.name == file:
                    return medium
    raise KeyError("there is no such file in the run's log.")


def as_address(medium: StoredMedium) -> str:
    """With what is in it, for a page that has no server."""
    return f"data:{TYPES[medium.kind].replace(' ', '')};base64,{base64.b64encode(medium.read()).decode()}"
