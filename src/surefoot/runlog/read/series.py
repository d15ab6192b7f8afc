"""Which series a process wrote, and in which layouts they lie."""

import sqlite3

from surefoot.facts.frozen import frozen
from surefoot.runlog.chunk import unpack_series
from surefoot.runlog.read.connection import has_table


@frozen
class Series:
    """One curve: a scalar, or one element of a tracked parameter."""

    id: int
    kind: str
    name: str
    place: str = ""

    @property
    def label(self) -> str:
        return f"{self.name}[{self.place}]" if self.place else self.name


def read_series(connection: sqlite3.Connection) -> list[Series]:
    if not has_table(connection, "series"):
        return []
    return [Series(*row) for row in connection.execute("SELECT id, kind, name, place FROM series ORDER BY id")]


def read_layouts(connection: sqlite3.Connection) -> dict[int, list[int]]:
    """The series of every layout, in the order of their values."""
    if not has_table(connection, "layouts"):
        return {}
    return {layout: unpack_series(packed) for layout, packed in connection.execute("SELECT id, series FROM layouts")}
