"""Open a process's file for reading: in one snapshot, and without a lock that its writer feels."""

import shutil
import sqlite3
import struct
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from surefoot.runlog.read.error import RunLogError, Say
from surefoot.runlog.read.verify import last_verdict, signature_of, verify
from surefoot.runlog.write.room import has_room

BUSY_SECONDS = 5.0  # only a file without WAL, as on network file systems, may keep a reader waiting
# What reading numbers and texts raises that somebody else has put there. Rows with a checksum never do.
MALFORMED = (struct.error, ValueError, TypeError, OverflowError, IndexError, AttributeError)
_HEADER = b"SQLite format 3\x00"
_WAL = 2  # the file format version in bytes 18 and 19 of the header


@contextmanager
def snapshot(file: Path, say: Say = lambda problem: None) -> Iterator[sqlite3.Connection]:
    """A read-only connection inside one transaction: whatever is read belongs together. Keep it short.

    Of a damaged file it shows the rows that are as they were written; what is wrong with the others is said.
    """
    signature = signature_of(file)
    try:
        with closing(_open(file)) as connection:
            connection.execute("BEGIN")
            verdict = verify(connection, file, signature)
            for problem in verdict.problems:
                say(problem)
            if verdict.salvaged is None:
                yield connection
            else:
                with closing(sqlite3.connect(":memory:", isolation_level=None)) as salvaged:
                    salvaged.deserialize(verdict.salvaged)
                    yield salvaged
    except (sqlite3.Error, *MALFORMED) as error:
        raise RunLogError(f"{file} can't be read: {error}") from error


def is_whole(file: Path) -> bool:
    """Whether nothing in it was changed or lost since it was written, as far as its checksums tell."""
    try:
        with snapshot(file):
            return last_verdict(file).salvaged is None
    except RunLogError:
        return False


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Older versions have fewer tables."""
    return name in tables(connection)


def tables(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _open(file: Path) -> sqlite3.Connection:
    try:
        with file.open("rb") as opened:
            header = opened.read(20)
    except FileNotFoundError:
        raise RunLogError(f"{file} is missing.") from None
    except OSError as error:
        raise RunLogError(f"{file} can't be read: {error.strerror or error}.") from error
    if not header:
        raise RunLogError(f"{file} is empty: the process ended before it wrote anything.")
    if not header.startswith(_HEADER):
        raise RunLogError(f"{file} is no run log: it is not an SQLite file.")
    has_wal = Path(f"{file}-wal").exists()
    if has_wal and not has_room(file.parent):
        return _of_copy(file, "-wal")
    # A WAL file without its `-wal` has no writer. Opened as immutable it needs no lock, leaves no files beside it
    # and can be read in a folder that we may not write to.
    at_rest = header[18:20] == bytes([_WAL, _WAL]) and not has_wal
    connection = _connect(file, "mode=ro&immutable=1" if at_rest else "mode=ro")
    return _rolled_back(connection, file) if Path(f"{file}-journal").exists() else connection


def _connect(file: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?{mode}", uri=True, timeout=BUSY_SECONDS, isolation_level=None)


def _rolled_back(connection: sqlite3.Connection, file: Path) -> sqlite3.Connection:
    """The state before a commit in the middle of which the writer died: of a copy, for we write nothing there."""
    try:
        connection.execute("SELECT name FROM sqlite_master LIMIT 1").fetchall()
        return connection
    except sqlite3.OperationalError as error:
        connection.close()
        if error.sqlite_errorname != "SQLITE_READONLY_ROLLBACK":
            raise
    return _of_copy(file, "-journal")


def _of_copy(file: Path, suffix: str) -> sqlite3.Connection:
    """What SQLite makes of a file and the one beside it, in memory."""
    found = sqlite3.connect(":memory:", isolation_level=None)
    try:
        with tempfile.TemporaryDirectory(prefix="surefoot-") as folder:
            copy = Path(shutil.copy(file, folder))
            shutil.copy(f"{file}{suffix}", folder)
            with closing(sqlite3.connect(copy)) as source:
                source.backup(found)
    except OSError as error:
        raise RunLogError(f"{file} can't be read: {error.strerror or error}.") from error
    return found
