"""Of a damaged file, the rows that are as they were written: a database of them, and what is missing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from surefoot.runlog.checksum import KEYS, TABLE, checksum, seed_of
from surefoot.runlog.chunk import unpack_series
from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.schema import TABLES

CALLED = {
    "meta": "settings", "records": "facts", "findings": "findings", "excerpts": "excerpts of source",
    "series": "names of series", "layouts": "layouts of series", "chunks": "blocks of scalars", "segments": "segments",
    "segment_sums": "checksums of segments", "sealed": "summaries of segments", "edges": "edges of histograms",
    "hists": "histograms", "events": "events",
}  # fmt: skip

# Sealed chunks are gone, but their numbers were given: readers tell by them what is new.
LAST_CHUNK = """
INSERT INTO sqlite_sequence (name, seq) SELECT 'chunks', max(number) FROM (
    SELECT max(id) AS number FROM chunks UNION ALL SELECT max(last_chunk) FROM segments
) HAVING max(number) IS NOT NULL
"""

# What may be in a column of a type, as SQLite calls it, and its type here.
_KINDS = {"INTEGER": ("integer",), "TEXT": ("text",), "BLOB": ("blob",), "REAL": ("integer", "real")}
_TYPES = {"integer": int, "text": str, "blob": bytes, "real": float, "null": type(None)}

Rows = dict[Any, tuple[Any, ...]]


def salvage(connection: sqlite3.Connection, file: Path, seeds: Sequence[int]) -> tuple[tuple[str, ...], bytes]:
    """What is damaged in words, and the rest. Of the seeds, that counts to which most rows fit."""
    noted = {table: _scan(connection, table, "checksums", "id", "crc") for table in KEYS}
    rows = {table: _scan(connection, table, table, key, "*") for table, key in KEYS.items()}
    found = max((_fitting(rows, noted, seed) for seed in seeds), key=lambda some: sum(map(len, some.values())))
    num_lost = {table: len(rows[table].keys() | noted[table].keys()) - len(found[table]) for table in KEYS}
    for table, num in _drop_dependents(found).items():
        num_lost[table] += num
    lost = [f"{num} of {num + len(found[table])} {CALLED[table]}" for table, num in num_lost.items() if num]
    what = f"it has lost {', '.join(lost)}; the rest is read." if lost else "every row in it could still be read."
    return (f"{file} is damaged: {what}",), _database(found)


def has_its_types(connection: sqlite3.Connection) -> bool:
    """Whether each value is of the kind that its column is for, which SQLite does not demand."""
    known = {name.decode() for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table in known & KEYS.keys():
        wrong = " OR ".join(
            f"typeof({column}) NOT IN ({str(kinds)[1:-1].rstrip(',')})" for column, kinds in _kinds()[table].items()
        )
        if connection.execute(f"SELECT EXISTS (SELECT 1 FROM {table} WHERE {wrong})").fetchone() != (0,):
            return False
    return True


def salvage_unverified(connection: sqlite3.Connection, file: Path) -> tuple[str, bytes]:
    """Without checksums: the rows that can be read and hold what their columns should."""
    found = {table: _scan(connection, table, table, key, "*") for table, key in KEYS.items()}
    for table, kinds in _kinds().items():
        allowed = [tuple(_TYPES[kind] for kind in some) for some in kinds.values()]
        found[table] = {number: row for number, row in found[table].items() if _are(row, allowed)}
    if not any(found.values()):
        raise RunLogError(f"{file} is damaged: nothing in it can be read.")
    segments = found["segments"]
    _drop_dependents(found)
    found["segments"] = segments  # of which no sum tells anything
    why = "it was written by a version that kept no checksums, so what is read of it may be wrong."
    return f"{file} is damaged; {why}", _database(found)


def _are(row: tuple[Any, ...], allowed: list[tuple[type, ...]]) -> bool:
    return len(row) == len(allowed) and all(map(isinstance, row, allowed))


@cache
def _kinds() -> dict[str, dict[str, tuple[str, ...]]]:
    """By table and column."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.executescript(TABLES)
        columns = {table: made.execute(f"PRAGMA table_info({table})").fetchall() for table in KEYS}
    return {
        table: {name: _KINDS[kind] + (() if needed or key else ("null",)) for _, name, kind, needed, _, key in some}
        for table, some in columns.items()
    }


def _fitting(rows: dict[str, Rows], noted: dict[str, Rows], seed: int) -> dict[str, Rows]:
    return {
        table: {number: row for number, row in rows[table].items() if sums.get(number) == (checksum(*row, seed=seed),)}
        for table, sums in noted.items()
    }


def _scan(connection: sqlite3.Connection, which: str, table: str, key: str, columns: str) -> Rows:
    """From both ends, as far as pages can be read."""
    where = f"WHERE tbl = '{which}'" if table == "checksums" else ""
    rows: Rows = {}
    connection.text_factory = lambda text: text.decode(errors="surrogateescape")
    for order in ("ASC", "DESC"):
        try:
            for number, *values in connection.execute(
                f"SELECT {key}, {columns} FROM {table} {where} ORDER BY {key} {order}"
            ):
                rows.setdefault(number, tuple(values))
            break
        except sqlite3.Error:
            continue
    connection.text_factory = bytes
    return rows


def _drop_dependents(found: dict[str, Rows]) -> dict[str, int]:
    """Rows that say nothing without others that are lost."""
    needs: dict[str, Callable[[tuple[Any, ...]], bool]] = {
        "layouts": lambda row: len(row[1]) % 4 == 0 and all(one in found["series"] for one in unpack_series(row[1])),
        "chunks": lambda row: row[1] in found["layouts"],
        "hists": lambda row: row[3] in found["series"] and row[4] in found["edges"],
        "excerpts": lambda row: row[0] in found["findings"],
        "segments": lambda row: row[1] in found["segment_sums"],
        "sealed": lambda row: row[0] in found["series"],
    }
    dropped = {}
    for table, is_usable in needs.items():
        kept = {number: row for number, row in found[table].items() if is_usable(row)}
        dropped[table] = len(found[table]) - len(kept)
        found[table] = kept
    return dropped


def _database(found: dict[str, Rows]) -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        made.executescript(TABLES)
        made.execute(TABLE)
        made.execute("BEGIN")
        seed = seed_of(dict(found["meta"].values()))
        for table in KEYS:
            for number, row in found[table].items():
                made.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
                made.execute("INSERT INTO checksums VALUES (?, ?, ?)", (table, number, checksum(*row, seed=seed)))
        made.execute("DELETE FROM sqlite_sequence WHERE name = 'chunks'")
        made.execute(LAST_CHUNK)
        made.execute("COMMIT")
        return made.serialize()
