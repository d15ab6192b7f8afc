"""Folders of runs: names that sort by time, never collide, and are valid on every system."""

import re
import secrets
import time
from pathlib import Path

NAME_LENGTH = 40  # of the script's part; the whole must fit into every file system


def run_folder(log: Path, script: str) -> Path:
    """A folder for a new run, not yet made: `20260115-231405-train-3f9c01` holds time, script and a short suffix."""
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(script).stem).strip("-")[:NAME_LENGTH] or "run"
    while True:
        folder = log / f"{time.strftime('%Y%m%d-%H%M%S')}-{stem}-{secrets.token_hex(3)}"
        if not folder.exists():
            return folder
