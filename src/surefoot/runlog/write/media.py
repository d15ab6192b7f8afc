"""Media of a process: files beside its log, each named in an event, once it is whole on the disk."""

from __future__ import annotations

import json
import os
import threading
import time
from contextlib import suppress
from pathlib import Path

from surefoot.runlog.media.choose import Given
from surefoot.runlog.media.kind import MEDIA, Medium, file_name
from surefoot.runlog.schema import ADD_EVENT
from surefoot.runlog.write.write_queue import Statement

MOST_WAITING = 64 * 2**20  # bytes that wait to be encoded
MOST_STORED = 2_000_000_000  # bytes of a process
LOST = "media-lost"


class MediaFolder:
    """Pictures are encoded by the threads that write, so that training need not wait for it."""

    def __init__(self, file: Path) -> None:
        self.folder = file.with_suffix(".media")
        self.num_waiting = 0  # bytes
        self._num_stored = 0
        self._lock = threading.Lock()

    def has_room(self, given: Given) -> bool:
        return self.num_waiting + given.num_bytes <= MOST_WAITING

    def order(self, step: int, name: str, number: int, given: Given) -> Storing:
        with self._lock:
            self.num_waiting += given.num_bytes
        return Storing(self, step, name, number, given)

    def store(self, medium: Medium) -> str:
        """Whole or not at all, under the name of what is in it."""
        name = file_name(medium.kind, medium.content)
        target = self.folder / name
        with self._lock:
            if target.exists():
                return name
            self._num_stored += len(medium.content)
            if self._num_stored > MOST_STORED:
                raise ValueError(f"this run has {MOST_STORED:,} bytes of media already")
            self.folder.mkdir(parents=True, exist_ok=True)
            part = target.with_name(f"{name}.{os.getpid()}.part")
            try:
                part.write_bytes(medium.content)
                part.replace(target)
            except OSError:
                with suppress(OSError):
                    part.unlink()
                raise
        return name

    def forget(self, num_bytes: int) -> None:
        with self._lock:
            self.num_waiting -= num_bytes


class Storing:
    """Makes the statement that names the file; the tail and the database both ask for it, and get the same one."""

    def __init__(self, home: MediaFolder, step: int, name: str, number: int, given: Given) -> None:
        self._home, self._step, self._name, self._number = home, step, name, number
        self._given: Given | None = given
        self._time = time.time()
        self._made: Statement | None = None
        self._lock = threading.Lock()

    def __call__(self) -> Statement:
        with self._lock:
            if self._made is None:
                assert self._given is not None
                self._made = ADD_EVENT, (self._step, self._time, *self._stored(self._given))
                self._home.forget(self._given.num_bytes)
                self._given = None
            return self._made

    def _stored(self, given: Given) -> tuple[str, str]:
        """What went wrong is an event, too: training and the rest of the log go on."""
        try:
            medium = given.encode()
            file = self._home.store(medium)
        except Exception as error:
            return LOST, f"{self._name}: {error}"
        about = {"name": self._name, "number": self._number, "kind": medium.kind, "file": file}
        told = {**about, "bytes": len(medium.content), "about": dict(medium.about)}
        return MEDIA, json.dumps(told, ensure_ascii=False)
