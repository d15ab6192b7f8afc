"""Follow a run while it is written: what is new since a cursor, and the cursor to ask with next time."""

from __future__ import annotations

import sqlite3
from dataclasses import field
from pathlib import Path

from surefoot.facts.frozen import frozen
from surefoot.runlog.read.column import Column, read_columns
from surefoot.runlog.read.connection import has_table, snapshot
from surefoot.runlog.read.error import Say
from surefoot.runlog.read.segment import Part
from surefoot.runlog.read.series import Series


@frozen
class Cursor:
    """How far somebody has read. Numbers only grow, so it stays good across sealing."""

    chunk: int = 0
    record: int = 0
    hist: int = 0
    event: int = 0
    findings: int = 0  # how often something was found: findings are counted, not only added


START = Cursor()


@frozen
class Event:
    id: int
    step: int
    time: float
    kind: str
    text: str


@frozen
class News:
    """What came after a cursor."""

    cursor: Cursor
    columns: dict[Series, Column] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    new_findings: bool = False
    new_hists: bool = False

    def __bool__(self) -> bool:
        return bool(self.columns or self.events or self.new_findings or self.new_hists)


def read_news(file: Path, cursor: Cursor, say: Say) -> News:
    """A few numbers are compared first: asking costs next to nothing when nothing is new."""
    with snapshot(file) as connection:
        now = newest(connection)
        events = read_events(connection, cursor.event) if now.event > cursor.event else ()
    columns = {}
    if now.chunk > cursor.chunk:
        found = read_columns(file, lambda series: True, say, Part(cursor.chunk, now.chunk))
        columns = {series: column for series, column in found.items() if len(column)}
    return News(now, columns, events, now.findings != cursor.findings, now.hist > cursor.hist)


def newest(connection: sqlite3.Connection) -> Cursor:
    """The end of what was committed: sqlite_sequence remembers numbers whose rows were sealed since."""
    given: dict[str, int] = {}
    if has_table(connection, "sqlite_sequence"):
        given = dict(connection.execute("SELECT name, seq FROM sqlite_sequence"))
    (record,) = connection.execute("SELECT coalesce(max(id), 0) FROM records").fetchone()
    (findings,) = connection.execute("SELECT coalesce(sum(count), 0) FROM findings").fetchone()
    return Cursor(given.get("chunks", 0), record, given.get("hists", 0), given.get("events", 0), findings)


def read_events(connection: sqlite3.Connection, after: int = 0) -> tuple[Event, ...]:
    if not has_table(connection, "events"):
        return ()
    rows = connection.execute("SELECT id, step, time, kind, text FROM events WHERE id > ? ORDER BY id", (after,))
    return tuple(Event(*row) for row in rows)
