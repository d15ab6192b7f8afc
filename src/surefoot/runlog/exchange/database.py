"""Databases of SQLite that other tools keep their runs in."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from surefoot.runlog.exchange.source import SourceError


def is_database(file: Path) -> bool:
    if file.suffix not in (".db", ".sqlite", ".sqlite3"):
        return False
    with file.open("rb") as stream:
        return stream.read(16) == b"SQLite format 3\0"


def tables_of(file: Path) -> frozenset[str]:
    with opened(file) as connection:
        return frozenset(name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))


@contextmanager
def opened(file: Path) -> Iterator[sqlite3.Connection]:
    """To read only."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise SourceError(f"{file} can't be read as a database: {error}.") from None
