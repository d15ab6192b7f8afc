"""What one process of a run wrote."""

from __future__ import annotations

import re
import sqlite3
import struct
from collections.abc import Callable, Iterator
from dataclasses import field
from pathlib import Path
from typing import Any

from surefoot.facts import Record, decode
from surefoot.facts.frozen import frozen
from surefoot.runlog.read.column import Column, read_columns
from surefoot.runlog.read.connection import snapshot, tables
from surefoot.runlog.read.error import RunLogError, Say
from surefoot.runlog.read.excerpt import read_excerpts
from surefoot.runlog.read.follow import START, Cursor, Event, News, read_events, read_news
from surefoot.runlog.read.media import StoredMedium, media_of
from surefoot.runlog.read.meta import Status, read_meta, status_of
from surefoot.runlog.read.segment import WHOLE, Part, Segment, read_manifest
from surefoot.runlog.read.series import Series, read_series
from surefoot.runlog.read.vitals import Vitals, read_vitals
from surefoot.runlog.schema import FINDING_COLUMNS


@frozen
class StoredProcess:
    """One file. `problems` tells what was found damaged while reading it."""

    file: Path
    meta: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list, compare=False)
    vitals: list[Vitals] = field(default_factory=list, compare=False)  # as they were at opening; none if damaged

    @property
    def name(self) -> str:
        return self.file.stem

    @property
    def rank(self) -> int | None:
        """None for a child process, which has no rank of its own."""
        named = re.fullmatch(r"rank-(\d+)", self.file.stem)
        return int(named[1]) if named else None

    @property
    def status(self) -> Status:
        return status_of(self.meta, self.file)

    def records(self) -> Iterator[Record]:
        """Its facts, in the order in which they were recorded."""
        with snapshot(self.file, self.say) as connection:
            texts = [text for (text,) in connection.execute("SELECT json FROM records ORDER BY id")]
        for text in texts:
            try:
                yield decode(text)
            except (ValueError, KeyError, TypeError) as error:
                raise RunLogError(f"{self.file} can't be read: {error}") from error

    def findings(self) -> list[dict[str, Any]]:
        with snapshot(self.file, self.say) as connection:
            rows = connection.execute(f"SELECT {', '.join(FINDING_COLUMNS)} FROM findings ORDER BY id").fetchall()
        return [dict(zip(FINDING_COLUMNS, row, strict=True)) for row in rows]

    def excerpts(self) -> list[dict[str, Any] | None]:
        """The lines of source around each finding, as they were stored with it; None where there are none."""
        with snapshot(self.file, self.say) as connection:
            return read_excerpts(connection)

    def events(self) -> tuple[Event, ...]:
        with snapshot(self.file, self.say) as connection:
            return read_events(connection)

    def media(self) -> list[StoredMedium]:
        """Images, audio, texts and tables, in the order in which they were logged."""
        return media_of(self.file, self.events())

    def series(self) -> list[Series]:
        with snapshot(self.file, self.say) as connection:
            return read_series(connection)

    def segments(self) -> list[Segment]:
        with snapshot(self.file, self.say) as connection:
            return read_manifest(connection, self.file)

    def columns(
        self, wanted: Callable[[Series], bool] = lambda series: True, part: Part = WHOLE
    ) -> dict[Series, Column]:
        """The wanted series, whole or in part."""
        return read_columns(self.file, wanted, self.say, part)

    def after(self, cursor: Cursor = START) -> News:
        """What was committed since the cursor was given out; `after(news.cursor)` goes on from there."""
        return read_news(self.file, cursor, self.say)

    @property
    def say(self) -> Say:
        return lambda problem: None if problem in self.problems else self.problems.append(problem)


def read_process(file: Path) -> StoredProcess:
    """Open it: refuses what is no run log, and what a newer surefoot wrote."""
    process = StoredProcess(file)
    with snapshot(file, process.say) as connection:
        process.meta.update(read_meta(connection, file))
        known = tables(connection)
        for table in ("records", "findings"):
            if table not in known:
                raise RunLogError(f"{file} is no run log: it has no table {table!r}.")
        try:
            process.vitals.append(read_vitals(connection, file, known))
        except (sqlite3.Error, struct.error, ValueError, KeyError, TypeError) as error:
            process.say(f"{file} is damaged: {error}")
    return process
