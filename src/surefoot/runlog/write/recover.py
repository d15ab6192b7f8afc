"""After a SIGKILL: bring the rows that were not yet committed from the tail into the file."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from surefoot.runlog.write.claim import KEY, ClaimedError, is_writing
from surefoot.runlog.write.store import LAST_ROW, Store
from surefoot.runlog.write.tail import read_tail, tail_files


def recover(file: Path) -> int:
    """How many rows were brought in. None, and no lock is taken, while the process that writes it is alive."""
    if not any(one.exists() for one in tail_files(file)) or not file.exists() or _is_written(file):
        return 0
    with suppress(ClaimedError, sqlite3.Error, OSError, ValueError):  # what can't be brought back is left as it is
        store = Store(file)
        try:
            return bring_back(store)
        finally:
            store.close()
    return 0


def bring_back(store: Store) -> int:
    """All of it in one transaction; then the tail is not needed any more."""
    rows = read_tail(store.file, after=store.last_row())
    if rows:
        store.write(rows, (), {})
    for one in tail_files(store.file):
        with suppress(OSError):
            one.unlink()
    store.set_meta(LAST_ROW, "-1")  # the next writer counts from 0
    return len(rows)


def _is_written(file: Path) -> bool:
    """Asked of a reader's connection, which holds up nobody."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            meta = dict(connection.execute("SELECT key, value FROM meta"))
    except sqlite3.Error:
        return True
    holder = json.loads(meta.get(KEY) or "null")
    return holder is not None and is_writing(holder, float(meta.get("beat", 0.0)))
