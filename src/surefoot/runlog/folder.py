"""Folders of runs, and files beside them: names that sort by time, never collide, and are valid on every system."""

import re
import secrets
import time
from pathlib import Path

_ENDING = re.compile(r"\.[A-Za-z]\w*$")  # of a file; `lr-0.1`, a name that somebody gave a run, has none
NAME_LENGTH = 40  # of the script's part; the whole must fit into every file system
TRACES = "traces"  # a folder among those of runs; it holds no database, so nobody takes it for one


def run_folder(log: Path, script: str) -> Path:
    """A folder for a new run, not yet made: `20260115-231405-train-3f9c01` holds time, script and a short suffix."""
    return _free(log, script, "")


def trace_file(log: Path, script: str) -> Path:
    """A file for a new trace, not yet made, named as a run is."""
    return _free(log / TRACES, script, ".json")


def _free(folder: Path, script: str, ending: str) -> Path:
    name = Path(script).name
    name = _ENDING.sub("", name) or name
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:NAME_LENGTH] or "run"
    while True:
        place = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{stem}-{secrets.token_hex(3)}{ending}"
        if not place.exists():
            return place
