"""SIGTERM asks for a checkpoint first. A second one acts as it did before."""

import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Termination:
    """Inside this context the first SIGTERM only sets `asked`; the loop saves and then calls `go_on`.

    Signals can be handled only in the main thread; in another thread, and where SIGTERM is ignored or handled
    outside Python, everything stays as it is. A child that was forked inside is not concerned.
    """

    def __init__(self) -> None:
        self.asked = False
        self._pid = os.getpid()
        self._before: Any = None

    def __enter__(self) -> "Termination":
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGTERM)
            if before is not None and before is not signal.SIG_IGN:
                self._before = before
                signal.signal(signal.SIGTERM, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._put_back()
        self.go_on()  # a signal is never lost

    def go_on(self) -> None:
        """Act on the signal that was held back, if there was one, as the program would have done without us."""
        if self.asked:
            self._put_back()
            self.asked = False
            signal.raise_signal(signal.SIGTERM)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        self._put_back()
        if os.getpid() != self._pid:
            self.go_on()

    def _put_back(self) -> None:
        if self._before is not None and signal.getsignal(signal.SIGTERM) == self._note:
            signal.signal(signal.SIGTERM, self._before)
        self._before = None
