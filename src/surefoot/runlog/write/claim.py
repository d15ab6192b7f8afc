"""One file, one writer. The claim lies in the file itself, taken in a transaction, so that it holds everywhere."""

import json
import os
import platform
import sqlite3
import time
from typing import Any

from surefoot.runlog.process_identity import is_alive, started
from surefoot.runlog.schema import ADD_META, SCHEMA_VERSION

SILENT_SECONDS = 60.0  # without a sign of life, a writer of another host is taken for dead
KEY = "writer"
DAMAGE = "damage"  # a key of meta too: what was lost before the file was last written, as a JSON list of sentences


class ClaimedError(RuntimeError):
    """Another process, or another log of this one, writes the file."""


def claim(connection: sqlite3.Connection) -> None:
    """To be called in a transaction."""
    meta = dict(connection.execute("SELECT key, value FROM meta"))
    if int(meta.get("schema_version", SCHEMA_VERSION)) != SCHEMA_VERSION:
        raise ClaimedError(
            f"it has schema version {meta['schema_version']}, this surefoot writes {SCHEMA_VERSION}. "
            "Log to another folder"
        )
    other = json.loads(meta.get(KEY) or "null")
    if other is not None and is_writing(other, float(meta.get("beat", 0.0))):
        raise ClaimedError(
            f"process {other['pid']} on {other['host']} writes it, and a file has one writer. Log to another folder"
        )
    connection.execute(ADD_META, (KEY, json.dumps(holder())))
    connection.execute(ADD_META, ("schema_version", str(SCHEMA_VERSION)))


def holder() -> dict[str, Any]:
    """How a claim names this process."""
    return {"pid": os.getpid(), "started": started(), "host": platform.node()}


def release(connection: sqlite3.Connection) -> None:
    connection.execute(ADD_META, (KEY, ""))


def is_writing(holder: dict[str, Any], beat: float) -> bool:
    alive = is_alive(int(holder["pid"]), holder["started"]) if holder["host"] == platform.node() else None
    return time.time() - beat < SILENT_SECONDS if alive is None else alive
