"""What waits for its commit, also in a file: what a process has handed to the system outlives its SIGKILL.

Two files take turns. Before the writer takes what waits, rows begin to go to the other one, over what it had: all that
is committed by then. Rows and orders have numbers, and each commit holds the last of both: what is not newer than that,
is known for old. After each commit its number is noted here, so that a commit that a damaged disk has lost is missed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from time import time as now

from surefoot.runlog.write.claim import holder
from surefoot.runlog.write.descriptor import OwnFile
from surefoot.runlog.write.write_ahead_format import (
    FILE_STEP,
    block_of,
    commit_record,
    header_of,
    order_record,
    row_record,
    write_ahead_files,
)
from surefoot.runlog.write.write_queue import Order, Row

RUSH_SECONDS, RUSH_ROWS = 0.004, 64  # rows that come faster are written some at a time
SWEEP_SECONDS = 0.04  # the most that anything waits to be written here, on a machine that is not overloaded
LATE_SECONDS = 0.045  # since the last sweep: then whoever adds sees to it
LOCK_SECONDS = 0.02  # a write takes less
MOST_BYTES = 64 * 2**20  # a disk that takes no commits gets no more than this either
FLAGS = os.O_CREAT | os.O_RDWR | getattr(os, "O_BINARY", 0)


class WriteAheadFile:
    """Closed on network file systems, where a write may take long."""

    def __init__(self, file: Path) -> None:
        self._files = write_ahead_files(file)
        self._open_files: list[OwnFile] = []
        self._current: OwnFile | None = None  # one of them
        self._offset = self._size = 0
        self._header, self._seed = b"", 0
        self._is_other_free = True  # all that it has is committed
        self._rows: list[Row] = []
        self._orders: list[Order] = []
        self._written_at = 0.0
        self._swept_at = now()
        self._lock = threading.Lock()  # training does not wait for it

    @property
    def is_open(self) -> bool:
        return bool(self._open_files)

    def open(self, file_id: str, rows: Collection[Row] = (), orders: Collection[Order] = ()) -> None:
        """Begin with what waits already; some of it may come again. Another writer's tail is left alone."""
        if not hasattr(os, "pwrite") or self.is_open:
            return
        with suppress(OSError):
            opened = [OwnFile(file, FLAGS | os.O_EXCL) for file in self._files]
            self._header, self._seed = header_of({**holder(), "id": file_id})
            for file in opened:
                self._begin(file)
            self._rows += list(rows)
            self._orders += list(orders)
            self._open_files, self._current = opened, opened[0]
            self.write()

    def add(self, rows: Sequence[Row]) -> None:
        """At once where steps take their time; where they rush, some together: a write costs more than all else."""
        if self._current is None or not rows:
            return
        self._rows.extend(rows)
        clock = now()
        if abs(clock - self._written_at) >= RUSH_SECONDS or len(self._rows) >= RUSH_ROWS:
            self._written_at = clock
            self.write(with_orders=self._is_late(clock))

    def add_order(self, order: Order) -> None:
        """Written by the next sweep: making its text takes time, which training gives only if the sweep is late."""
        if self._current is None:
            return
        self._orders.append(order)
        if self._is_late(now()):
            self.write(with_orders=True)

    def sweep(self) -> None:
        self.write(with_orders=True)
        self._swept_at = now()

    def _is_late(self, clock: float) -> bool:
        """On a machine that is overloaded the sweeping thread may not get its turn."""
        return bool(self._orders) and abs(clock - self._swept_at) > LATE_SECONDS

    def write(self, *, with_orders: bool = False) -> None:
        while (self._rows or (with_orders and self._orders)) and self._current is not None:
            if not self._lock.acquire(blocking=False):  # another thread is at it, or we are in a signal handler
                return
            try:
                self._write_waiting(with_orders=with_orders)
            finally:
                self._lock.release()

    def _write_waiting(self, *, with_orders: bool) -> None:
        rows, self._rows = self._rows, []
        records = list(map(row_record, rows))
        if with_orders:
            orders, self._orders = self._orders, []
            records += [record for record in map(_order_record, orders) if record]
        self._append(records)

    def _append(self, records: list[bytes]) -> None:
        if self._current is None or not records:
            return
        block = block_of(b"".join(records), self._seed)
        try:
            while self._offset + len(block) > self._size:
                self._size += FILE_STEP
                self._current.resize(self._size)
            self._offset += self._current.write_at(block, self._offset)
        except OSError:  # a full disk; commits go on being tried
            self._current = None
        if self._offset > MOST_BYTES:
            self._current = None

    def _begin(self, file: OwnFile) -> None:
        """Forget what it had."""
        file.resize(0)
        file.resize(FILE_STEP)
        self._size = FILE_STEP
        self._offset = file.write_at(self._header, 0)

    def switch(self) -> None:
        """What is added from now on belongs to the next commit."""
        # Who holds the lock may be stopped by a signal handler that waits for this commit: then it goes on as it is.
        if not self._open_files or not self._is_other_free or not self._lock.acquire(timeout=LOCK_SECONDS):
            return
        try:
            self._write_waiting(with_orders=False)
            self._open_files.reverse()
            self._current = self._open_files[0]
            self._is_other_free = False
            self._begin(self._current)
        except OSError:
            self._current = None
        finally:
            self._lock.release()

    def clear(self, commit: int) -> None:
        """What was added before the switch is committed, by the commit of that number."""
        self._is_other_free = True
        if self._open_files and self._lock.acquire(timeout=LOCK_SECONDS):
            try:
                self._append([commit_record(commit)])
            finally:
                self._lock.release()

    def close(self, *, remove: bool) -> None:
        self._current = None
        is_held = self._lock.acquire(timeout=1.0)  # else a write is under way, and its file has to stay open
        for file in self._open_files if is_held else ():
            file.close()
        for path in self._files if remove and self._open_files else ():
            with suppress(OSError):
                path.unlink()
        self._open_files = []


class Sweeper:
    """A thread that hands over what waits and writes it to the tail, so that nothing waits long for the next row."""

    def __init__(self, write_ahead: WriteAheadFile, before: Callable[[], None]) -> None:
        self._write_ahead = write_ahead
        self._before = before
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="surefoot-tail", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._is_over.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(1.0)

    def _run(self) -> None:
        while not self._is_over.wait(SWEEP_SECONDS):
            with suppress(Exception):  # of what a program has logged; whoever commits it tells
                self._before()
            self._write_ahead.sweep()


def _order_record(order: Order) -> bytes:
    try:
        return order_record(order.number, order.statement())
    except Exception:  # what can't be written at all is told at its commit
        return b""
