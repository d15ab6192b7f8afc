"""SIGTERM ends a program at once and without a word. Here the report is told first; then it ends the same way."""

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType


class Termination:
    """Only where the program left SIGTERM alone; what it installs itself replaces this."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._report = tell
        self._pid = os.getpid()
        self._telling = False
        self.is_wanted = False

    def expect(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        handler = signal.getsignal(signal.SIGTERM)
        if handler is signal.SIG_DFL or isinstance(getattr(handler, "__self__", None), Termination):  # a parent's
            signal.signal(signal.SIGTERM, self._handle)

    def tell(self) -> None:
        """Tell without being interrupted by SIGTERM; die of it afterwards."""
        self._telling = True
        self._report()
        if signal.getsignal(signal.SIGTERM) == self._handle:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if self.is_wanted:
            os.kill(os.getpid(), signal.SIGTERM)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.is_wanted = True
        if os.getpid() != self._pid:  # a fork of the program just ends
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTERM)
        elif not self._telling:
            self.tell()
