"""What a process said about itself, and whether this surefoot can read the rest."""

import platform
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from surefoot.runlog.process_identity import is_alive
from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.schema import SCHEMA_VERSION

Status = Literal["running", "finished", "failed", "crashed"]

SILENT_SECONDS = 60.0  # a writer gives a sign of life every 5 s; a loaded network may delay it
_FAILED = {"raised", "interrupted", "stopped", "terminated", "failed"}


def read_meta(connection: sqlite3.Connection, file: Path) -> dict[str, str]:
    """All of it; refuses what a newer surefoot wrote."""
    try:
        meta = dict(connection.execute("SELECT key, value FROM meta"))
    except sqlite3.Error as error:
        raise RunLogError(f"{file} is no run log: {error}") from error
    version = meta.get("schema_version", "0")
    if not version.isdecimal() or int(version) > SCHEMA_VERSION:
        raise RunLogError(
            f"{file} was written with schema version {version}; this surefoot reads up to {SCHEMA_VERSION}. "
            "Upgrade surefoot."
        )
    return meta


def status_of(meta: Mapping[str, str], file: Path) -> Status:
    """What became of the process: it said so itself, or it can be seen from here."""
    if "ended" in meta:
        failed = meta.get("reason", "") in _FAILED or meta.get("exit", "0") not in ("", "0")
        return "failed" if failed else "finished"
    alive = None
    if meta.get("host") == platform.node() and meta.get("pid", "").isdecimal():
        alive = is_alive(int(meta["pid"]), meta.get("process_started", ""))
    if alive is None:  # another host, or one that can't tell
        alive = time.time() - _last_sign(meta, file) < SILENT_SECONDS
    return "running" if alive else "crashed"


def _last_sign(meta: Mapping[str, str], file: Path) -> float:
    """When it was last seen to write; by the files' own times if it kept no beat."""
    try:
        return float(meta["beat"])
    except (KeyError, ValueError):
        signs = [file, file.with_name(file.name + "-wal")]
        return max((sign.stat().st_mtime for sign in signs if sign.exists()), default=0.0)
