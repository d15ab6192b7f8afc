"""A checksum for every row of a run log, written by triggers in the row's own transaction.

The table of checksums also says which rows there must be, so that a row that vanished is noticed like one that changed.
Checksums of a file begin with its random name, so that no row of another file fits in, with its checksum or without.
"""

import re
import sqlite3
import zlib
from collections.abc import Mapping
from pathlib import Path

KEYS = {
    "meta": "key", "records": "id", "findings": "id", "excerpts": "finding", "series": "id", "layouts": "id",
    "chunks": "id", "segments": "id", "segment_sums": "file", "sealed": "series", "edges": "id", "hists": "id",
    "events": "id",
}  # fmt: skip
FUNCTION = "surefoot_checksum"
MARK = "checksums"  # its key in meta: a file that has it must have the table too
FILE_ID = "id"  # the key of the file's random name
OF_FILE = "crc32 of file"  # the mark's value; files that were written before checksums began with a name have another
TABLE = (
    "CREATE TABLE checksums (tbl TEXT NOT NULL, id NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY (tbl, id)) WITHOUT ROWID"
)
READ_SIZE = 2**20
_LAST_MEMBER = re.compile(rb', "crc": "([0-9a-f]{8})"\}\s*')


def checksum(*values: object, seed: int = 0) -> int:
    """Of one row. Texts and blobs count alike, and so do 1 and 1.0: SQLite may turn one into the other."""
    parts = [value if type(value) is bytes else _part(value) for value in values]
    return zlib.crc32(b"".join(parts), zlib.crc32(repr(list(map(len, parts))).encode(), seed))


def seed_of(meta: Mapping[str, str]) -> int:
    """What checksums of the file with this meta begin with."""
    return seed_of_id(meta.get(FILE_ID, "")) if meta.get(MARK) == OF_FILE else 0


def seed_of_id(file_id: str) -> int:
    return zlib.crc32(file_id.encode())


def _part(value: object) -> bytes:
    if isinstance(value, str):
        return value.encode(errors="surrogateescape")
    if isinstance(value, float) and value.is_integer():
        return b"%d" % value
    return value if isinstance(value, bytes) else repr(value).encode()


def file_checksum(file: Path) -> int:
    crc = 0
    with file.open("rb") as opened:
        while part := opened.read(READ_SIZE):
            crc = zlib.crc32(part, crc)
    return crc


def with_checksum(json_object: bytes) -> bytes:
    """The same object with a last member that tells the checksum of the text before it."""
    text = json_object.rstrip().removesuffix(b"}")
    return text + b', "crc": "%08x"}\n' % zlib.crc32(text)


def contradicts_its_checksum(json_object: bytes) -> bool:
    """False also for objects that have none."""
    place = json_object.rfind(b', "crc": "')
    told = _LAST_MEMBER.fullmatch(json_object, place) if place >= 0 else None
    return told is not None and int(told[1], 16) != zlib.crc32(json_object[:place])


def keep_checksums(connection: sqlite3.Connection, seed: int | None = None) -> None:
    """To be called on every connection that writes. Files of older versions have none and stay without.

    The triggers are the connection's own: whoever changes a log with another tool is not stopped, but noticed.
    """
    if not connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'checksums'").fetchone()[0]:
        return
    begun = seed_of(dict(connection.execute("SELECT key, value FROM meta"))) if seed is None else seed
    connection.create_function(FUNCTION, -1, lambda *values: checksum(*values, seed=begun), deterministic=True)
    for table, key in KEYS.items():
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        values = ", ".join(f"NEW.{column}" for column in columns)
        forget = f"DELETE FROM checksums WHERE tbl = '{table}' AND id = OLD.{key};"
        note = f"INSERT OR REPLACE INTO checksums VALUES ('{table}', NEW.{key}, {FUNCTION}({values}));"
        for event, body in (("INSERT", note), ("UPDATE", forget + note), ("DELETE", forget)):
            connection.execute(f"CREATE TEMP TRIGGER {table}_{event} AFTER {event} ON main.{table} BEGIN {body} END")
