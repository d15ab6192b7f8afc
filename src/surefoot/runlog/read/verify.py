"""Is a file as it was written? Looked at once by each process that reads it; later only what is new is."""

from __future__ import annotations

import json
import sqlite3
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any

from surefoot.facts.frozen import frozen
from surefoot.runlog.checksum import KEYS, MARK, checksum, seed_of, seed_of_id
from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.read.salvage import has_its_types, salvage, salvage_unverified
from surefoot.runlog.schema import SCHEMA_VERSION, TABLES
from surefoot.runlog.write.claim import DAMAGE, KEY, is_writing
from surefoot.runlog.write.file_id import is_as_left, read_file_id

MOST_KNOWN = 4096  # files
GROWING = frozenset(KEYS) - {"meta", "findings", "excerpts", "sealed", "segments", "segment_sums"}  # rows never change

_DAMAGE = f"SELECT value FROM meta WHERE key = '{DAMAGE}'"
_EXISTS = "EXISTS (SELECT 1 FROM {})"

Signature = tuple[tuple[int, int, int], ...]


@frozen
class Verdict:
    """`salvaged` is a database of what can be trusted, if not all can; `upto` are the last rows that were looked at."""

    problems: tuple[str, ...] = ()
    salvaged: bytes | None = None
    upto: dict[str, int] = field(default_factory=dict)
    is_verified: bool = True


UNVERIFIED = Verdict(is_verified=False)
_sound_schemas: set[frozenset[tuple[bytes, bytes]]] = set()
_known: OrderedDict[Path, tuple[Signature, Verdict]] = OrderedDict()


def signature_of(file: Path) -> Signature:
    """Changes whenever a file is written."""
    found = []
    for one in (file, file.with_name(f"{file.name}-wal")):
        with suppress(OSError):
            status = one.stat()
            found.append((status.st_ino, status.st_mtime_ns, status.st_size))
    return tuple(found)


def last_verdict(file: Path) -> Verdict:
    """On a file that was read."""
    return _known[file.absolute()][1]


def verify(connection: sqlite3.Connection, file: Path, signature: Signature) -> Verdict:
    """To be called in the transaction in which the file is read. The signature was taken before it began."""
    place = file.absolute()
    before, verdict = _known.get(place, ((), UNVERIFIED))
    if before != signature:
        with _as_bytes(connection):
            verdict = _verdict(connection, file, verdict)
        _known[place] = signature, verdict
        _known.move_to_end(place)
        while len(_known) > MOST_KNOWN:
            _known.popitem(last=False)
    return verdict


def _verdict(connection: sqlite3.Connection, file: Path, before: Verdict) -> Verdict:
    is_left = is_as_left(file)
    if is_left:  # first: a list of many runs asks little else
        return Verdict(_noted(*connection.execute(_DAMAGE).fetchone() or ()))
    tables = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
    meta = _meta(connection) if b"meta" in tables else {}
    version = meta.get("schema_version", "0")
    if not version.isdecimal() or int(version) > SCHEMA_VERSION:
        return UNVERIFIED  # the reader refuses it
    if b"checksums" not in tables:
        if MARK in meta:
            raise RunLogError(f"{file} is damaged: its checksums are gone, so nothing in it can be trusted.")
        return _without_checksums(connection, file)
    seed = seed_of(meta)
    is_followed = before.is_verified and before.salvaged is None and _is_written(meta)
    with suppress(sqlite3.Error, OverflowError, ValueError, TypeError):
        if is_followed or _is_sound(connection, tables):
            last = _verify_rows(connection, before.upto if is_followed else {}, seed)
            if last is not None and (is_followed or _are_counters_right(connection, last)):
                upto = {table: number for table, number in last.items() if table in GROWING}
                return Verdict(
                    (*_noted(meta.get(DAMAGE, "[]")), *([_other(file)] if is_left is False else [])), upto=upto
                )
    noted_id = read_file_id(file)
    problems, salvaged = salvage(connection, file, [*([] if noted_id is None else [seed_of_id(noted_id)]), seed, 0])
    return Verdict((*_noted(meta.get(DAMAGE, "[]")), *problems), salvaged)


def _without_checksums(connection: sqlite3.Connection, file: Path) -> Verdict:
    """Of an older version. SQLite notices some damages."""
    with suppress(sqlite3.Error):
        if connection.execute("PRAGMA integrity_check(1)").fetchone() == (b"ok",) and has_its_types(connection):
            return UNVERIFIED
    problem, salvaged = salvage_unverified(connection, file)
    return Verdict((problem,), salvaged, is_verified=False)


def _other(file: Path) -> str:
    return (
        f"{file} is not as it was closed. Every row in it is as it was written, but others may be missing, as from an "
        "older copy."
    )


def _meta(connection: sqlite3.Connection) -> dict[str, str]:
    with suppress(sqlite3.Error):
        rows = connection.execute("SELECT key, value FROM meta").fetchall()
        texts = [row for row in rows if all(isinstance(value, bytes) for value in row)]
        return {key.decode(errors="replace"): value.decode(errors="replace") for key, value in texts}
    return {}


def _noted(sentences: str | bytes = "[]") -> tuple[str, ...]:
    """What was lost before the file was last written, as whoever wrote it has found."""
    try:
        return tuple(map(str, json.loads(sentences)))
    except (ValueError, TypeError):
        return ()


def _is_written(meta: dict[str, str]) -> bool:
    try:
        holder = json.loads(meta.get(KEY) or "null")
        return holder is not None and is_writing(holder, float(meta.get("beat", 0.0)))
    except (ValueError, KeyError, TypeError):
        return False


def _is_sound(connection: sqlite3.Connection, tables: dict[bytes, bytes]) -> bool:
    """SQLite's own check, also of indexes; and whether columns are called as they should be."""
    if connection.execute("PRAGMA integrity_check(1)").fetchone() != (b"ok",):
        return False
    schema = frozenset(tables.items())
    if schema not in _sound_schemas:
        if not all(_has_its_columns(connection, table) for table in KEYS):
            return False
        _sound_schemas.add(schema)
    return True


def _has_its_columns(connection: sqlite3.Connection, table: str) -> bool:
    """A later version may have added some."""
    expected = _columns()[table]
    return connection.execute(f"PRAGMA table_info({table})").fetchall()[: len(expected)] == expected


@cache
def _columns() -> dict[str, list[tuple[Any, ...]]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(TABLES)
        connection.text_factory = bytes
        return {table: connection.execute(f"PRAGMA table_info({table})").fetchall() for table in KEYS}


def _verify_rows(connection: sqlite3.Connection, after: dict[str, int], seed: int) -> dict[str, Any] | None:
    """All rows, or those after the given ones where rows are only added: the last of each, or None if one is wrong."""
    noted: dict[str, dict[Any, int]] = {table: {} for table in KEYS}
    for table, number in after.items():
        rows = connection.execute("SELECT id, crc FROM checksums WHERE tbl = ? AND id > ?", (table, number))
        noted[table] = dict(rows)
    whole = [table for table in KEYS if table not in after]
    listed = ", ".join(f"'{table}'" for table in whole)
    for table_name, number, crc in connection.execute(f"SELECT tbl, id, crc FROM checksums WHERE tbl IN ({listed})"):
        noted[table_name.decode()][number] = crc
    last: dict[str, Any] = dict(after)
    empty = [table for table in whole if not noted[table]]
    if empty and any(connection.execute(f"SELECT {', '.join(map(_EXISTS.format, empty))}").fetchone()):
        return None
    for table, key in KEYS.items():
        if table in empty:
            continue
        where = f" WHERE {key} > {after[table]}" if table in after else ""
        sums, num_rows = noted[table], 0
        for number, *values in connection.execute(f"SELECT {key}, * FROM {table}{where} ORDER BY {key}"):
            if sums.get(number) != checksum(*values, seed=seed):
                return None
            num_rows += 1
            last[table] = number
        if num_rows != len(sums):
            return None
    return last


def _are_counters_right(connection: sqlite3.Connection, last: dict[str, Any]) -> bool:
    """Those from which readers that follow a run tell what is new. Sealed chunks are gone, but were counted."""
    (sealed,) = connection.execute("SELECT coalesce(max(last_chunk), 0) FROM segments").fetchone()
    given = dict(connection.execute("SELECT name, seq FROM sqlite_sequence"))
    expected = {
        "chunks": max(last.get("chunks", 0), sealed),
        "hists": last.get("hists", 0),
        "events": last.get("events", 0),
    }
    return all(given.get(table.encode(), 0) == number for table, number in expected.items())


@contextmanager
def _as_bytes(connection: sqlite3.Connection) -> Iterator[None]:
    """Damaged texts may be no UTF-8."""
    connection.text_factory = bytes
    try:
        yield
    finally:
        connection.text_factory = str
