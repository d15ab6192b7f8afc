"""A few boxes, kept warm, so that a question finds one that is free and a heavy one holds up no other."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

from surefoot.runlog.box.box import Answer, Box, Question
from surefoot.runlog.box.error import STOPPED, QueryError

MOST = 4  # at once
MOST_WARM = 2
WAIT_SECONDS = 10.0  # for a free one
IDLE_SECONDS = 300.0


class Stop:
    """Ends a question from another thread, when nobody waits for its answer any more."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a signal handler may ask
        self._box: Box | None = None
        self.is_asked = False

    def ask(self) -> None:
        with self._lock:
            self.is_asked = True
            if self._box is not None:
                self._box.stop()

    @contextlib.contextmanager
    def heeded(self, box: Box) -> Iterator[None]:
        with self._lock:
            if self.is_asked:
                raise QueryError(STOPPED)
            self._box = box
        try:
            yield
        finally:
            with self._lock:
                self._box = None


class Boxes:
    """Asked from threads. `close` may be called by a signal handler: it takes no lock."""

    def __init__(
        self, memory: str, *, most: int = MOST, wait_seconds: float = WAIT_SECONDS, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        self._memory = memory
        self._most = most
        self._wait_seconds = wait_seconds
        self._idle_seconds = idle_seconds
        self._freed = threading.Condition()
        self._free: list[Box] = []
        self._num_taken = 0
        self._idle: threading.Timer | None = None
        self._all: set[Box] = set()
        self._is_closed = False

    @contextlib.contextmanager
    def asked(self, question: Question, stop: Stop | None = None) -> Iterator[Answer]:
        """The answer, to be taken inside the block; what is left of it afterwards is given up."""
        stop = stop or Stop()
        box = self._take(stop)
        answer: Answer | None = None
        try:
            with stop.heeded(box):
                answer = box.ask(question)
                yield answer
        finally:
            is_free = (answer is None or answer.is_over) and not stop.is_asked  # else it goes on with what nobody wants
            self._give_back(box, is_free=is_free)

    def warm_up(self) -> None:
        """Have one ready for the first question."""
        with self._freed:
            if not self._free and not self._num_taken and not self._is_closed:
                self._free.append(self._started())
                self._end_idle_later()

    def close(self) -> None:
        self._is_closed = True
        if self._idle is not None:
            self._idle.cancel()
        for box in list(self._all):
            box.stop()
            box.kill()

    def _take(self, stop: Stop) -> Box:
        until = time.monotonic() + self._wait_seconds
        with self._freed:
            while self._num_taken >= self._most:
                if stop.is_asked:
                    raise QueryError(STOPPED)
                if not self._freed.wait(min(0.2, max(0.0, until - time.monotonic()))) and time.monotonic() >= until:
                    raise QueryError(f"{self._most} queries are running already. Wait for one to end, or stop one.")
            if self._is_closed:
                raise QueryError("the server is ending.")
            self._num_taken += 1
            while self._free:
                box = self._free.pop()
                if box.is_alive:
                    return box
                self._end(box)
            return self._started()

    def _started(self) -> Box:
        box = Box(self._memory)
        self._all.add(box)
        return box

    def _give_back(self, box: Box, *, is_free: bool) -> None:
        with self._freed:
            self._num_taken -= 1
            is_kept = is_free and box.is_alive and len(self._free) < MOST_WARM and not self._is_closed
            if is_kept:
                self._free.append(box)
                self._end_idle_later()
            else:
                self._end(box)
            self._freed.notify()

    def _end(self, box: Box) -> None:
        box.kill()
        self._all.discard(box)

    def _end_idle_later(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._idle = threading.Timer(self._idle_seconds, self._end_idle)
        self._idle.daemon = True
        self._idle.start()

    def _end_idle(self) -> None:
        with self._freed:
            while self._free:
                self._end(self._free.pop())
