"""A checksum for every row of a run log, written by triggers in the row's own transaction.

The table of checksums also says which rows there must be, so that a row that vanished is noticed like one that changed.
"""

import re
import sqlite3
import zlib
from pathlib import Path

KEYS = {
    "meta": "key", "records": "id", "findings": "id", "excerpts": "finding", "series": "id", "layouts": "id",
    "chunks": "id", "segments": "id", "segment_sums": "file", "sealed": "series", "edges": "id", "hists": "id",
    "events": "id",
}  # fmt: skip
FUNCTION = "surefoot_checksum"
MARK = "checksums"  # its key in meta: a file that has it must have the table too
TABLE = (
    "CREATE TABLE checksums (tbl TEXT NOT NULL, id NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY (tbl, id)) WITHOUT ROWID"
)
READ_SIZE = 2**20
_LAST_MEMBER = re.compile(rb', "crc": "([0-9a-f]{8})"\}\s*')


def checksum(*values: object) -> int:
    """Of one row. Texts and blobs count alike, and so do 1 and 1.0: SQLite may turn one into the other."""
    parts = [value if type(value) is bytes else _part(value) for value in values]
    return zlib.crc32(b"".join(parts), zlib.crc32(repr(list(map(len, parts))).encode()))


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


def keep_checksums(connection: sqlite3.Connection) -> None:
    """To be called on every connection that writes. Files of older versions have none and stay without.

    The triggers are the connection's own: whoever changes a log with another tool is not stopped, but noticed.
    """
    if not connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'checksums'").fetchone()[0]:
        return
    connection.create_function(FUNCTION, -1, checksum, deterministic=True)
    for table, key in KEYS.items():
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        values = ", ".join(f"NEW.{column}" for column in columns)
        forget = f"DELETE FROM checksums WHERE tbl = '{table}' AND id = OLD.{key};"
        note = f"INSERT OR REPLACE INTO checksums VALUES ('{table}', NEW.{key}, {FUNCTION}({values}));"
        for event, body in (("INSERT", note), ("UPDATE", forget + note), ("DELETE", forget)):
            connection.execute(f"CREATE TEMP TRIGGER {table}_{event} AFTER {event} ON main.{table} BEGIN {body} END")
