"""The SQLite file of one process, seen from the writer: opened, claimed, written in transactions."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.runlog.checksum import FILE_ID, MARK, OF_FILE, TABLE, keep_checksums, seed_of_id
from surefoot.runlog.chunk import pack, pack_series
from surefoot.runlog.schema import ADD_CHUNK, ADD_META, TABLES
from surefoot.runlog.storable_text import storable_row
from surefoot.runlog.write.claim import claim, release
from surefoot.runlog.write.descriptor import OwnConnection, identity, open_numbers
from surefoot.runlog.write.file_id import has_note, read_file_id, write_file_id
from surefoot.runlog.write.network import is_network
from surefoot.runlog.write.rescue import replace_by_copy
from surefoot.runlog.write.room import check_room

if TYPE_CHECKING:
    from surefoot.runlog.write.layout import Layout
    from surefoot.runlog.write.write_queue import Order, Row

LAST_ROW, LAST_ORDER, COMMIT = "row", "order", "commit"  # their keys in meta
MOST_STEPS = 2**16  # in one chunk
PATIENT_SECONDS = 30.0  # to wait for readers where there is no write-ahead log
BUSY_SECONDS = 5.0  # readers never hold up a writer in WAL mode; a checkpoint of somebody else may


class FileGoneError(OSError):
    """The file was removed, or another one stands in its place: what is written is seen by nobody."""


class Store:
    """`commit` counts its commits; `file_id` is told by the file beside it too, so that no other takes its place."""

    def __init__(self, file: Path, file_id: str = "") -> None:
        self.file = file
        self.file_id = file_id or secrets.token_hex(8)
        file.parent.mkdir(parents=True, exist_ok=True)
        check_room(file.parent)
        self._connect()
        self._series: dict[tuple[str, str, str], int] = {}
        self._layouts: list[Layout] = []  # that have an id
        self.unsealed_bytes = 0  # in chunks
        self.count_unsealed()

    def _connect(self) -> None:
        before = open_numbers()
        self.connection = sqlite3.connect(self.file, isolation_level=None, timeout=BUSY_SECONDS)
        try:
            self._set_up()
        except BaseException:
            self.connection.close()
            raise
        self._own = OwnConnection(self.connection, self.file, before)
        self._own.allocate_index()
        self._identity = identity(self.file)

    @property
    def is_whole(self) -> bool:
        """Whether our descriptors are still ours."""
        return self._own.is_whole()

    def _keep_connected(self) -> None:
        """The program may have closed our descriptors, and opened files of its own under their numbers."""
        if not self._own.is_whole():
            self._own.abandon()
            replace_by_copy(self.file)
            self._connect()

    def _set_up(self) -> None:
        execute = self.connection.execute
        execute("PRAGMA auto_vacuum=INCREMENTAL")
        self.is_wal = not is_network(self.file.parent) and execute("PRAGMA journal_mode=WAL").fetchone()[0] == "wal"
        if self.is_wal:
            execute("PRAGMA synchronous=NORMAL")
        else:  # readers and the writer wait for each other then; only this thread does, and training goes on
            execute("PRAGMA journal_mode=DELETE")
            execute("PRAGMA synchronous=FULL")
            execute(f"PRAGMA busy_timeout={int(1000 * PATIENT_SECONDS)}")
        with self._transaction():
            is_new = not execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            for statement in TABLES.split(";"):
                execute(statement)
            if is_new:  # older files stay as they are: nobody can tell today what their rows were
                execute(TABLE)
            keep_checksums(self.connection, seed_of_id(self.file_id) if is_new else None)
            if is_new:
                execute(ADD_META, (MARK, OF_FILE))
                execute(ADD_META, (FILE_ID, self.file_id))
            claim(self.connection)
            meta = dict(execute("SELECT key, value FROM meta"))
        self.commit = int(meta.get(COMMIT, 0))
        self.file_id = meta.get(FILE_ID, "")
        # A note will not be true of what is written from now on. That of another file is not ours to replace.
        if is_new or (has_note(self.file) and read_file_id(self.file) == self.file_id):
            write_file_id(self.file, self.file_id)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._keep_connected()
        with self._transaction():
            yield

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    def write(self, rows: Sequence[Row], orders: Sequence[Order], meta: dict[str, str]) -> None:
        """All of it or nothing."""
        if identity(self.file) != self._identity:
            raise FileGoneError(f"{self.file} is gone")
        try:
            with self.transaction():
                self._own.allocate_index()
                for order in orders:
                    statement, values = order.statement()
                    self.connection.execute(statement, storable_row(values))
                for some in _by_layout(rows):
                    self._add_chunks(some[0][0], some)
                if rows:
                    meta[LAST_ROW] = str(max(row[4] for row in rows))
                numbers = [order.number for order in orders if order.number >= 0]
                if numbers:
                    meta[LAST_ORDER] = str(max(numbers))
                meta[COMMIT] = str(self.commit + 1)
                self.connection.executemany(ADD_META, map(storable_row, meta.items()))
        except BaseException:
            self._forget_ids()
            raise
        self.commit += 1
        for layout in self._layouts:
            layout.stored_id = layout.id

    def close(self) -> None:
        try:
            with self.transaction():
                release(self.connection)
        finally:
            self._own.close()

    def meta(self) -> dict[str, str]:
        return dict(self.connection.execute("SELECT key, value FROM meta"))

    def set_meta(self, **values: str) -> None:
        with self.transaction():
            self.connection.executemany(ADD_META, values.items())

    def count_unsealed(self) -> None:
        self._keep_connected()
        size = "SELECT coalesce(sum(length(steps) + length(times) + length(vals)), 0) FROM chunks"
        self.unsealed_bytes = self.connection.execute(size).fetchone()[0]

    def last_chunk_within(self, num_bytes: int) -> int:
        """The last of the oldest chunks that together have about so many bytes."""
        total = 0
        for number, size in self.connection.execute(
            "SELECT id, length(steps) + length(times) + length(vals) FROM chunks ORDER BY id"
        ):
            total += size
            if total >= num_bytes:
                return int(number)
        return int(number)

    def give_back_pages(self) -> None:
        """Those that sealed chunks have left, to the file system."""
        self._keep_connected()
        self.connection.executescript("PRAGMA incremental_vacuum")  # execute() would give back one page only

    def _add_chunks(self, layout: Layout, rows: list[Row]) -> None:
        number = self._layout_id(layout)
        for first in range(0, len(rows), MOST_STEPS):
            some = rows[first : first + MOST_STEPS]
            packed = pack([row[1:4] for row in some])
            self.connection.execute(ADD_CHUNK, (number, *packed))
            self.unsealed_bytes += sum(map(len, packed[1:]))

    def _layout_id(self, layout: Layout) -> int:
        if layout.id is None:
            series = pack_series([self._series_id(key) for key in layout.keys])
            layout.id = self._last_id("INSERT INTO layouts (series) VALUES (?)", series)
            self._layouts.append(layout)
        return layout.id

    def _series_id(self, key: tuple[str, str, str]) -> int:
        if key not in self._series:
            find = "SELECT id FROM series WHERE kind = ? AND name = ? AND place = ?"
            known = self.connection.execute(find, key).fetchone()
            add = "INSERT INTO series (kind, name, place) VALUES (?, ?, ?)"
            self._series[key] = known[0] if known else self._last_id(add, *key)
        return self._series[key]

    def _last_id(self, statement: str, *values: Any) -> int:
        number = self.connection.execute(statement, values).lastrowid
        assert number is not None, "an INSERT gives one"
        return number

    def _forget_ids(self) -> None:
        """Those given in a transaction that was rolled back are nobody's."""
        self._series.clear()
        for layout in self._layouts:
            layout.id = layout.stored_id
        self._layouts = [layout for layout in self._layouts if layout.id is not None]


def _by_layout(rows: Iterable[Row]) -> list[list[Row]]:
    """The one with the newest row is last: a series may be in several, and its last chunk has its last value."""
    found: dict[int, list[Row]] = {}
    for row in rows:
        found.setdefault(id(row[0]), []).append(row)
    return sorted(found.values(), key=lambda some: some[-1][4])
