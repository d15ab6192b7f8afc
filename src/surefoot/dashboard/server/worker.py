"""A process that has torch, for a server that has not: started by the first request, kept warm, ended with the server.

It is asked in lines of JSON, one thing at a time; the newest wins. One that dies or hangs is replaced when asked again.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from surefoot.dashboard.server.child import environment

LAB = ("-P", "-m", "surefoot.lab.descent.worker")  # -P: nothing is imported from where the server was started
LIMIT_SECONDS = 120.0  # with the import of torch on a busy machine; the worker's own limit for computing is shorter
IDLE_SECONDS = 300.0

Answer = dict[str, Any]


class WorkerError(Exception):
    """Said to the page as it is."""


class Worker:
    """Asked from threads. `close` may be called by a signal handler: it takes no lock."""

    def __init__(
        self, *arguments: str, limit_seconds: float = LIMIT_SECONDS, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        self._command = [sys.executable, *(arguments or LAB)]
        self._limit_seconds = limit_seconds
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._num_asked = 0
        self._idle: threading.Timer | None = None
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """None while there is no process."""
        process = self._process
        return None if process is None or process.is_over else process.pid

    def ask(self, settings: Any) -> tuple[int, Future[Answer]]:
        """Its number, by which it can be cancelled, and where the answer will be."""
        with self._lock:
            self._num_asked += 1
            number = self._num_asked
            future = None if self._process is None else self._process.ask(number, settings, self._limit_seconds)
            if future is None:
                future = self._fresh().ask(number, settings, self._limit_seconds)
            self._wait_for_more()
        if future is None:
            raise WorkerError("the process that computes can't be started.")
        return number, future

    def cancel(self, number: int) -> None:
        process = self._process
        if process is not None:
            process.cancel(number)

    def close(self) -> None:
        """The end of the server."""
        self._is_closed = True
        if self._idle is not None:
            self._idle.cancel()
        if self._process is not None:
            self._process.kill()

    def _fresh(self) -> _Process:
        if self._is_closed:
            raise WorkerError("the server is ending.")
        self._process = _Process(self._command)
        return self._process

    def _wait_for_more(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._idle = _timer(self._idle_seconds, self._end_idle)

    def _end_idle(self) -> None:
        with self._lock:
            if self._process is not None and self._process.is_busy:
                self._wait_for_more()
            elif self._process is not None:
                self._process.kill()


class _Process:
    """One life of it, and those who wait for its answers."""

    def __init__(self, command: Sequence[str]) -> None:
        self.is_over = False
        self._is_late = False
        self._lock = threading.Lock()
        self._waiting: dict[int, tuple[Future[Answer], threading.Timer]] = {}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
        )
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting)

    def ask(self, number: int, settings: Any, limit_seconds: float) -> Future[Answer] | None:
        """None if it has ended."""
        with self._lock:
            if self.is_over:
                return None
            future = Future[Answer]()
            self._waiting[number] = future, _timer(limit_seconds, self._give_up)
        self._send({"id": number, "settings": settings})
        return future

    def cancel(self, number: int) -> None:
        if number in self._waiting:
            self._send({"cancel": number})

    def kill(self) -> None:
        self._process.kill()  # it has nothing to lose

    def _give_up(self) -> None:
        self._is_late = True
        self.kill()

    def _send(self, line: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # it has just ended: who listens to it tells
            self._process.stdin.write(json.dumps(line).encode() + b"\n")
            self._process.stdin.flush()

    def _listen(self) -> None:
        """Hand on answers until it ends; then tell those who wait for more."""
        assert self._process.stdout is not None and self._process.stdin is not None
        with self._process.stdout as lines:
            for line in lines:
                with contextlib.suppress(ValueError, KeyError, TypeError):  # no answer of ours
                    answer: Answer = json.loads(line)
                    self._hand_on(answer["id"], answer)
        status = self._process.wait()
        with self._lock:
            self.is_over = True
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        why = "gave no answer for too long, and was ended" if self._is_late else f"has ended with status {status}"
        for number in list(self._waiting):
            self._hand_on(number, WorkerError(f"the process that computes {why}. Asked again, a new one is started."))

    def _hand_on(self, number: int, told: Answer | WorkerError) -> None:
        future, limit = self._waiting.pop(number)
        limit.cancel()
        if isinstance(told, WorkerError):
            future.set_exception(told)
        else:
            future.set_result(told)


def _timer(seconds: float, act: Any) -> threading.Timer:
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
    return timer
