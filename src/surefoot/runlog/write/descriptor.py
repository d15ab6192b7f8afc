"""File descriptors that stay ours. Programs close what they did not open, and open files under the same numbers."""

from __future__ import annotations

import ctypes
import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from surefoot.runlog.write.room import allocate

OPEN_FILES = Path("/dev/fd")  # on Linux and macOS; elsewhere nothing closes by number what others have opened
SUFFIXES = ("", "-wal", "-shm")  # of the files that SQLite keeps open

Identity = tuple[int, int]


def identity(file: int | Path) -> Identity | None:
    """Which file it is, whatever its name or number; None if there is none."""
    try:
        found = os.stat(file)  # noqa: PTH116  # takes descriptors too
    except OSError:
        return None
    return found.st_dev, found.st_ino


class OwnFile:
    """A file that is written by its descriptor, and opened again if that was closed or given away."""

    def __init__(self, path: Path, flags: int) -> None:
        self._path, self._flags = path, flags
        self._open()
        self._flags &= ~os.O_EXCL  # from now on it is there

    def write_at(self, data: bytes, offset: int) -> int:
        if not self._is_ours():
            self._open()
        return os.pwrite(self._number, data, offset)

    def resize(self, num_bytes: int) -> None:
        if not self._is_ours():
            self._open()
        os.ftruncate(self._number, num_bytes)

    def close(self) -> None:
        if self._is_ours():
            os.close(self._number)

    def _open(self) -> None:
        self._number = os.open(self._path, self._flags, 0o666)
        self._identity = identity(self._number)

    def _is_ours(self) -> bool:
        return identity(self._number) == self._identity


class OwnConnection:
    """The descriptors of one SQLite connection: those of its files that were not open before it."""

    def __init__(self, connection: sqlite3.Connection, file: Path, before: Sequence[int]) -> None:
        self._connection = connection
        mine = {identity(file.with_name(file.name + suffix)) for suffix in SUFFIXES} - {None}
        found = {number: identity(number) for number in open_numbers() if number not in before}
        self._numbers = {number: its for number, its in found.items() if its in mine}
        index = identity(file.with_name(f"{file.name}-shm"))
        self._indexes = [number for number, its in self._numbers.items() if its == index]

    def is_whole(self) -> bool:
        """Whether SQLite would still write to its own files."""
        return all(identity(number) == its for number, its in self._numbers.items())

    def allocate_index(self) -> None:
        for number in self._indexes:
            allocate(number)

    def close(self) -> None:
        if self.is_whole():
            self._connection.close()
        else:
            self.abandon()

    def abandon(self) -> None:
        """Keep it open for good: closing it would close files of the program, also at the very end of the process."""
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._connection))


def open_numbers() -> list[int]:
    numbers: list[int] = []
    with suppress(OSError):
        numbers = [int(entry.name) for entry in OPEN_FILES.iterdir() if entry.name.isdecimal()]
    return numbers
