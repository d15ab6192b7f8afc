"""The thread that writes: what came in is packed and committed twice a second, or at once when asked."""

from __future__ import annotations

import queue
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from surefoot.runlog.schema import ADD_EVENT, ADD_META
from surefoot.runlog.write.file_id import note_whole
from surefoot.runlog.write.recover import bring_back
from surefoot.runlog.write.seal import Sealer
from surefoot.runlog.write.store import FileGoneError, Store
from surefoot.runlog.write.write_ahead import WriteAheadFile
from surefoot.runlog.write.write_queue import Order, WriteQueue

COMMIT_SECONDS = 0.35  # a SIGKILL loses what came in since; with the time that a commit takes, less than half a second
BEAT_SECONDS = 5.0  # between signs of life when nothing is logged
RETRY_SECONDS = 5.0  # before a full disk is tried again
LATER_SECONDS = 3.0  # at the end of a short run, for what takes time to find out

Reply = queue.SimpleQueue[bool]


class Writer:
    """`is_off` once nothing can be written any more."""

    def __init__(
        self,
        file: Path,
        write_queue: WriteQueue,
        write_ahead: WriteAheadFile,
        say: Callable[[str], None],
        later: Callable[[], Mapping[str, str]],
    ) -> None:
        self.is_off = False
        self._file = file
        self._write_queue = write_queue
        self._write_ahead = write_ahead
        self._say = say
        self._later = later
        self.file_id = secrets.token_hex(8)  # of a file that is new
        # Of all queues the one whose put() may be interrupted by a signal handler that puts too.
        self._asked: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()
        self._is_closing = False
        self._is_written = self._is_lost = False  # to the end
        self._told: set[str] = set()
        self._beat_due = self._retry_at = self._taken_at = 0.0
        self._num_dropped = 0
        self._why = ""  # it could not be written
        self._thread = threading.Thread(target=self._run, name="surefoot-log", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def hurry(self) -> None:
        """Commit soon: what waits takes much memory."""
        self._asked.put(None)

    def flush(self, wait_seconds: float) -> bool:
        if self.is_off:
            return False
        reply: Reply = queue.SimpleQueue()
        self._asked.put(reply)
        try:
            return reply.get(timeout=wait_seconds)
        except queue.Empty:
            return False

    def close(self, wait_seconds: float) -> None:
        self._is_closing = True
        self._asked.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join(wait_seconds)
            if self._thread.is_alive():
                self._tell("is not written to the end yet; rows logged last may be lost.", "The disk is slow.")

    def _run(self) -> None:
        try:
            store = Store(self._file, self.file_id)
            try:
                if not self._write_ahead.is_open:
                    bring_back(store)
                    if store.is_wal:
                        rows, orders = self._write_queue.waiting()
                        self._write_ahead.open(store.file_id, rows, orders)
                self._write(store)
                self._work(store, Sealer(store, self._tell))
            finally:
                self._write_ahead.close(remove=self._is_written)
                store.close()
            self._note_whole()
        except Exception as error:
            if not self._is_lost:
                self._tell("can't be written any more; training goes on.", str(error))
        finally:
            self.is_off = True
            self._reply(self._replies(0), done=False)

    def _work(self, store: Store, sealer: Sealer) -> None:
        asking = threading.Thread(target=self._ask_later, name="surefoot-about", daemon=True)
        asking.start()
        while not self._is_closing:
            replies = self._replies(max(0.0, self._taken_at + COMMIT_SECONDS - time.monotonic()))
            done = False
            try:
                done = self._write(store)
            finally:
                self._reply(replies, done=done)
            if done:
                try:
                    sealer.look()
                except sqlite3.OperationalError:
                    if store.is_whole:  # else the program has closed our descriptors: the next write opens others
                        raise
        self._retry_at = 0.0
        asking.join(LATER_SECONDS)
        self._is_written = self._write(store) or self._write(store)  # the first may have met closed descriptors
        if self._is_written:
            sealer.close()
        else:
            rows, orders = self._write_queue.waiting()
            num_orders = sum(order.number >= 0 for order in orders)  # without our own
            lost = f"{len(rows):,} rows and {num_orders:,} other records that were logged last may be lost."
            self._tell(f"can't be written to the end: {lost}", self._why)
            self._is_lost = True

    def _note_whole(self) -> None:
        from surefoot.runlog.read.connection import is_whole  # a reader's, which few programs need before they end

        note_whole(self._file, is_whole)

    def _ask_later(self) -> None:
        for key, value in self._later().items():
            self._write_queue.add_order(_meta(key, value))

    def _replies(self, wait_seconds: float) -> list[Reply]:
        """Who waits for the next commit, once somebody does or it is due."""
        replies = []
        try:
            reply = self._asked.get(timeout=wait_seconds) if wait_seconds else self._asked.get_nowait()
            while True:
                replies += [reply] if reply is not None else []
                reply = self._asked.get_nowait()
        except queue.Empty:
            return replies

    def _reply(self, replies: list[Reply], *, done: bool) -> None:
        for reply in replies:
            reply.put(done)

    def _write(self, store: Store) -> bool:
        """One transaction with all that waits; a disk that is full now may not be so later."""
        clock = self._taken_at = time.monotonic()
        if clock < self._retry_at:
            return False
        self._note_dropped()
        self._write_ahead.switch()
        rows, orders = self._write_queue.take()
        if not rows and not orders and clock < self._beat_due:
            return True
        try:
            store.write(rows, orders, {"beat": f"{time.time():.3f}", "tail": str(int(self._write_ahead.is_open))})
        except FileGoneError:
            raise
        except sqlite3.OperationalError as error:
            self._write_queue.put_back(rows, orders)
            if not store.is_whole:
                return False
            self._retry_at = clock + RETRY_SECONDS
            self._why = str(error)
            if self._tell("can't be written at present; training goes on, and it is tried again.", str(error)):
                self._note("log-broken", str(error))
            return False
        self._write_ahead.clear(store.commit)
        self._beat_due = clock + BEAT_SECONDS
        return True

    def _note_dropped(self) -> None:
        dropped = self._write_queue.num_dropped
        if dropped > self._num_dropped:
            text = f"{dropped - self._num_dropped} rows, because the disk did not keep up"
            self._num_dropped = dropped
            self._note("dropped", text)
            self._tell("does not keep up, and gets less than all; training goes on.", f"dropped: {text}")

    def _note(self, kind: str, text: str) -> None:
        statement = (ADD_EVENT, (0, time.time(), kind, text))
        self._write_queue.orders.append(Order(lambda: statement))

    def _tell(self, what: str, why: str) -> bool:
        """Say it once; whether it was news."""
        if what in self._told:
            return False
        self._told.add(what)
        self._say(f"the run log {self._file} {what} {why}")
        return True


def _meta(key: str, value: str) -> Order:
    return Order(lambda: (ADD_META, (key, value)))
