"""After a SIGKILL: bring what was not yet committed from the tail into the file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from time import time
from typing import Any

from surefoot.runlog.write.claim import DAMAGE, KEY, ClaimedError, is_writing
from surefoot.runlog.write.file_id import note_whole, read_file_id
from surefoot.runlog.write.layout import Layout
from surefoot.runlog.write.room import has_room
from surefoot.runlog.write.store import LAST_ORDER, LAST_ROW, Store
from surefoot.runlog.write.write_ahead_format import WriteAheadContent, read_write_ahead, write_ahead_files
from surefoot.runlog.write.write_queue import Order, Row

Say = Callable[[str], None]
NAMELESS_SECONDS = 10.0


def recover(file: Path, say: Say = lambda problem: None, is_whole: Callable[[Path], bool] = lambda file: True) -> int:
    """How many rows were brought in. None, and no lock is taken, while the process that writes it is alive."""
    try:
        if not _has_tail(file):
            return 0
        if not has_room(file.parent):
            return 0 if _is_tail_written(file) else _say_left(file, say, "the disk is full")
        if _is_written(file):
            return 0
        if file.exists() and file.stat().st_size and not is_whole(file):  # SQLite makes an empty file first
            raise ValueError("the file is damaged")
        writer = read_write_ahead(file).writer
        if writer is None and read_file_id(file) is not None and not (file.exists() and file.stat().st_size):
            raise ValueError("nothing in it is known to be of this run")
        store = Store(file, (writer or {}).get("id", ""))
        try:
            return bring_back(store)
        finally:
            store.close()
            note_whole(file, is_whole)
    except ClaimedError:
        return 0
    except (sqlite3.Error, OSError, ValueError, KeyError, TypeError) as error:
        return _say_left(file, say, str(error))


def last_commit(file: Path) -> int:
    """That a process which goes on is known to have made; 0 if that can't be told."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return read_write_ahead(file).commit
    return 0


def _say_left(file: Path, say: Say, why: str) -> int:
    if _has_tail(file):  # else another reader has brought it in meanwhile
        left = write_ahead_files(file)[0]
        say(f"what was logged last is still in {left} and -1, and can't be brought in: {why}.")
    return 0


def _has_tail(file: Path) -> bool:
    return any(one.exists() for one in write_ahead_files(file))


def bring_back(store: Store) -> int:
    """All of it in one transaction; then the tail is not needed any more."""
    if not _has_tail(store.file):
        return 0
    write_ahead, meta = read_write_ahead(store.file, is_old=not store.file_id), store.meta()
    if write_ahead.writer is not None and write_ahead.writer["id"] not in ("", store.file_id):
        raise ValueError("they belong to another file")
    rows = [row for number, row in sorted(write_ahead.rows.items()) if number > int(meta.get(LAST_ROW, -1))]
    known = _num_series(store)
    usable = [row for row in rows if _is_usable(row, known)]
    problems = [*write_ahead.problems, *_lost(store, write_ahead, len(rows) - len(usable))]
    after = int(meta.get(LAST_ORDER, -1))
    orders = [_order(statement) for number, statement in sorted(write_ahead.orders.items()) if number > after]
    if rows or orders or problems:
        noted = [*json.loads(meta.get(DAMAGE, "[]")), *problems]
        store.write(usable, orders, {DAMAGE: json.dumps(noted)} if noted else {})
    for one in write_ahead_files(store.file):
        with suppress(OSError):
            one.unlink()
    store.set_meta(**{LAST_ROW: "-1", LAST_ORDER: "-1"})  # the next writer counts from 0
    return len(usable)


def _order(statement: tuple[str, tuple[Any, ...]]) -> Order:
    return Order(lambda: statement)


def _lost(store: Store, write_ahead: WriteAheadContent, num_unusable: int) -> list[str]:
    """Commits that were made and are not there."""
    missing = write_ahead.commit - store.commit
    if missing <= 0:
        return [f"{num_unusable} rows of the tail belong to series that are lost."] * bool(num_unusable)
    rows = f" {num_unusable} rows of the tail belong to series that are lost with them." if num_unusable else ""
    return [
        f"{store.file} has lost its last {missing} commits: it or its -wal file was removed or damaged. What was "
        f"logged before the kill is there only in part.{rows}"
    ]


def _num_series(store: Store) -> dict[int, int]:
    return dict(store.connection.execute("SELECT id, length(series) / 4 FROM layouts"))


def _is_usable(row: Row, known: dict[int, int]) -> bool:
    """A row may name a layout that only a lost commit knew."""
    layout: Layout = row[0]
    return layout.id is None or known.get(layout.id) == len(row[3]) // 8


def _is_written(file: Path) -> bool:
    """Asked of a reader's connection, which holds up nobody."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            meta = dict(connection.execute("SELECT key, value FROM meta"))
        holder = json.loads(meta.get(KEY) or "null")
        return holder is not None and is_writing(holder, float(meta.get("beat", 0.0)))
    except sqlite3.OperationalError:  # there is none, or nothing in it yet
        return _is_tail_written(file)
    except sqlite3.Error:
        return True
    except (ValueError, KeyError, TypeError):
        return False


def _is_tail_written(file: Path) -> bool:
    """Asked when its process has not made the file yet, or was killed before."""
    newest = max(one.stat().st_mtime for one in write_ahead_files(file) if one.exists())
    writer = read_write_ahead(file).writer
    if writer is None:  # who has just made them writes its name next
        return abs(time() - newest) < NAMELESS_SECONDS
    return is_writing(writer, newest)
