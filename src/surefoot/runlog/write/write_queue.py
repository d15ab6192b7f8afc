"""What came in since the last commit. Bounded: a disk that lags must not fill the memory, nor hold up training."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from surefoot.runlog.write.layout import Layout

MOST_BYTES = 64 * 2**20  # of numbers that wait for the disk
ROW_BYTES = 200  # what a row takes besides its numbers
MOST_ORDERS = 4096  # records are small; a disk that lags this far behind will not catch up soon
PATIENCE_SECONDS = 1.0  # how long training waits for such a disk, in a whole run

LOCK_SECONDS = 0.2  # longer than thinning takes

Row = tuple[Layout, int, float, bytes, int]  # with step, time, values and the number of the row
Item = TypeVar("Item")
Statement = tuple[str, tuple[Any, ...]]


class Order:
    """Something to be written; the statement is made when it is first asked for, which training does not do.

    Findings, meta and events are never dropped. Orders without a number are the writer's own.
    """

    __slots__ = ("_make", "_statement", "may_drop", "number")

    def __init__(self, make: Callable[[], Statement], *, may_drop: bool = False, number: int = -1) -> None:
        self.may_drop = may_drop
        self.number = number
        self._make = make
        self._statement: Statement | None = None

    def statement(self) -> Statement:
        if self._statement is None:
            self._statement = self._make()
        return self._statement


class WriteQueue:
    """One thread takes, any thread adds, a signal handler too: extending a deque by a list can't be interrupted."""

    def __init__(self, hurry: Callable[[], None]) -> None:
        self.rows: deque[Row] = deque()
        self.orders: deque[Order] = deque()
        self.kept_steps: set[int] = set()  # of findings: their scalars are never dropped
        self.num_dropped = 0
        self._look_at = 1024  # rows; then it is looked how much memory they take
        self._hurry = hurry
        self._patience = PATIENCE_SECONDS
        self._lock = threading.Lock()  # only who takes or thins holds it; who adds never waits for it

    def add_rows(self, rows: Sequence[Row]) -> None:
        self.rows.extend(rows)
        if len(self.rows) >= self._look_at:
            self._look()

    def add_order(self, order: Order) -> None:
        if len(self.orders) >= MOST_ORDERS:
            self._wait()
            if len(self.orders) >= MOST_ORDERS:
                self._drop_oldest_order()
        self.orders.append(order)

    def take(self) -> tuple[list[Row], list[Order]]:
        with self._held_for_long_enough():
            rows, orders = _taken(self.rows, len(self.rows)), _taken(self.orders, len(self.orders))
            self._look_at = 1024
        return rows, orders

    def waiting(self) -> tuple[list[Row], list[Order]]:
        """All of it, as it stays."""
        with self._held_for_long_enough():
            return _listed(self.rows), _listed(self.orders)

    def put_back(self, rows: list[Row], orders: list[Order]) -> None:
        """What could not be written, in front of what came in meanwhile."""
        with self._held_for_long_enough():
            self.rows.extendleft(reversed(rows))
            self.orders.extendleft(reversed(orders))

    @contextmanager
    def _held_for_long_enough(self) -> Iterator[None]:
        """Go on without the lock in the end: who holds it may be stopped by a signal handler that waits for us."""
        is_held = self._lock.acquire(timeout=LOCK_SECONDS)
        try:
            yield
        finally:
            if is_held:
                self._lock.release()

    def _look(self) -> None:
        if not self._lock.acquire(blocking=False):  # it is being taken right now, or we are in a signal handler
            return
        try:
            waiting = _listed(self.rows)
            num_bytes = sum(len(row[3]) + ROW_BYTES for row in waiting)
            if num_bytes > MOST_BYTES:
                num_bytes = self._thin(len(waiting))
            widest = max((len(row[3]) for row in waiting), default=0) + ROW_BYTES
            self._look_at = len(self.rows) + max(64, (MOST_BYTES - num_bytes) // widest)
        finally:
            self._lock.release()
        self._hurry()

    def _thin(self, num_rows: int) -> int:
        """Leave out every other row: the curve keeps its shape. How many bytes are left."""
        old = _taken(self.rows, num_rows)
        kept = [row for i, row in enumerate(old) if i % 2 or row[1] in self.kept_steps]
        self.rows.extendleft(reversed(kept))
        self.num_dropped += len(old) - len(kept)
        return sum(len(row[3]) + ROW_BYTES for row in kept)

    def _wait(self) -> None:
        self._hurry()
        while len(self.orders) >= MOST_ORDERS and self._patience > 0:
            self._patience -= 0.01
            time.sleep(0.01)

    def _drop_oldest_order(self) -> None:
        if not self._lock.acquire(blocking=False):
            return
        try:
            found = next((order for order in _listed(self.orders) if order.may_drop), None)
            if found is not None:
                self.orders.remove(found)  # by itself: who takes goes on without the lock in the end
                self.num_dropped += 1
        except ValueError:  # it was taken meanwhile
            return
        finally:
            self._lock.release()


def _listed(items: deque[Item]) -> list[Item]:
    """Others may add meanwhile, which ends an iteration with an error."""
    while True:
        try:
            return list(items)
        except RuntimeError:
            continue


def _taken(items: deque[Item], num: int) -> list[Item]:
    """The oldest ones, as long as there are any."""
    taken = []
    for _ in range(num):
        try:
            taken.append(items.popleft())
        except IndexError:
            break
    return taken
