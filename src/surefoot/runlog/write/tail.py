"""Rows that wait for their commit, also in a file: what a process has handed to the system outlives its SIGKILL.

Two files take turns. Before the writer takes what waits, rows begin to go to the other one, over what it had: all that
is committed by then. Each row has a number, and the number of the last committed row is in the commit: what is not
newer than that, is known for old.
"""

from __future__ import annotations

import json
import os
import struct
import threading
import zlib
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from time import time as now

from surefoot.runlog.write.descriptor import OwnFile
from surefoot.runlog.write.intake import Row
from surefoot.runlog.write.layout import Layout

BLOCK = struct.Struct("<II")  # checksum and length of the rows that were written together
HEAD = struct.Struct("<Iqqqd")  # of a row: length of what follows, number, layout, step, time
INLINE = -1  # in place of a layout that no commit has stored yet: its series follow
RUSH_SECONDS, RUSH_ROWS = 0.004, 64  # at most so much waits to be written here
LOCK_SECONDS = 0.02  # a write takes less
MOST_BYTES = 64 * 2**20  # a disk that takes no commits gets no more than this either
FLAGS = os.O_CREAT | os.O_RDWR | getattr(os, "O_BINARY", 0)


def tail_files(file: Path) -> tuple[Path, Path]:
    return file.with_suffix(".tail-0"), file.with_suffix(".tail-1")


class Tail:
    """Closed until the writer's file is open; it stays closed on network file systems, where a write may take long."""

    def __init__(self, file: Path) -> None:
        self._files = tail_files(file)
        self._open_files: list[OwnFile] = []
        self._current: OwnFile | None = None  # one of them
        self._offset = 0
        self._is_other_free = True  # all that it has is committed
        self._waiting: list[Row] = []
        self._written_at = 0.0
        self._lock = threading.Lock()  # training does not wait for it

    def open(self, rows: Collection[Row]) -> None:
        """Begin with the rows that wait already; one of them may come again."""
        if hasattr(os, "pwrite"):
            with suppress(OSError):
                self._open_files = [OwnFile(file, FLAGS) for file in self._files]
                self._current = self._open_files[0]
                self._waiting += list(rows)
                self._write()

    def add(self, row: Row, *, more: bool = False) -> None:
        """At once where steps take their time; where they rush, some together: a write costs more than all else.

        `more` says that others follow at once: it is written with them.
        """
        if self._current is None:
            return
        self._waiting.append(row)
        if more:
            return
        clock = now()
        if abs(clock - self._written_at) >= RUSH_SECONDS or len(self._waiting) >= RUSH_ROWS:
            self._written_at = clock
            self._write()

    def _write(self) -> None:
        if not self._lock.acquire(blocking=False):  # another thread is at it, or we are in a signal handler
            return
        try:
            self._write_waiting()
        finally:
            self._lock.release()

    def _write_waiting(self) -> None:
        rows, self._waiting = self._waiting, []
        if self._current is None or not rows:
            return
        block = b"".join(map(_record, rows))
        block = BLOCK.pack(zlib.crc32(block), len(block)) + block
        try:
            self._offset += self._current.write_at(block, self._offset)
        except OSError:  # a full disk; commits go on being tried
            self._current = None
        if self._offset > MOST_BYTES:
            self._current = None

    def switch(self) -> None:
        """What is added from now on belongs to the next commit."""
        # Who holds the lock may be stopped by a signal handler that waits for this commit: then it goes on as it is.
        if not self._open_files or not self._is_other_free or not self._lock.acquire(timeout=LOCK_SECONDS):
            return
        self._write_waiting()
        self._open_files.reverse()
        self._current, self._offset = self._open_files[0], 0
        self._is_other_free = False
        self._lock.release()

    def clear(self) -> None:
        """What was added before the switch is committed."""
        self._is_other_free = True

    def close(self, *, remove: bool) -> None:
        self._current = None
        is_held = self._lock.acquire(timeout=1.0)  # else a write is under way, and its file has to stay open
        for file in self._open_files if is_held else ():
            file.close()
        self._open_files = []
        for path in self._files if remove else ():
            with suppress(OSError):
                path.unlink()


def _record(row: Row) -> bytes:
    layout, step, time, packed, number = row
    stored = layout.stored_id
    if stored is None:
        series = json.dumps(layout.keys).encode()
        packed = struct.pack("<I", len(series)) + series + packed
    return HEAD.pack(len(packed), number, INLINE if stored is None else stored, step, time) + packed


def read_tail(file: Path, after: int) -> list[Row]:
    """The rows of both files that came after that number, in their order; what was cut off is left out."""
    known: dict[int | bytes, Layout] = {}
    rows = {row[4]: row for one in tail_files(file) for row in _rows(one, known)}
    return [rows[number] for number in sorted(rows) if number > after]


def _rows(file: Path, known: dict[int | bytes, Layout]) -> Iterator[Row]:
    for block in _blocks(file):
        at = 0
        while at < len(block):
            length, number, layout, step, time = HEAD.unpack_from(block, at)
            at += HEAD.size + length
            packed = block[at - length : at]
            key: int | bytes = layout
            if layout == INLINE:
                (size,) = struct.unpack_from("<I", packed)
                key, packed = packed[4 : 4 + size], packed[4 + size :]
            if key not in known:
                known[key] = Layout(map(tuple, json.loads(key))) if isinstance(key, bytes) else Layout(())
                known[key].id = key if isinstance(key, int) else None
            yield known[key], step, time, packed, number


def _blocks(file: Path) -> Iterator[bytes]:
    """Up to the first that is not whole: there what is old begins, or what the kill cut off."""
    data = file.read_bytes() if file.exists() else b""
    at = 0
    while at + BLOCK.size <= len(data):
        checksum, length = BLOCK.unpack_from(data, at)
        at += BLOCK.size + length
        block = data[at - length : at]
        if not length or len(block) < length or zlib.crc32(block) != checksum:
            return
        yield block
