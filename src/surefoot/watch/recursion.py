"""The program's recursion limit, as if no frame of ours were on its stack."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_get, _set = sys.getrecursionlimit, sys.setrecursionlimit


class RecursionLimit:
    """While it is kept, the program sets and sees its own limit; the real one is higher by our frames."""

    def __init__(self) -> None:
        self._frames = 0  # of ours
        self._is_kept = False
        self._lock = threading.Lock()

    @contextmanager
    def kept(self, frames: int) -> Iterator[None]:
        """Give the program back what so many frames below it take."""

        def getrecursionlimit() -> int:
            return _get() - self._frames

        def setrecursionlimit(limit: int, /) -> None:
            # Python itself refuses what is no limit.
            _set(limit + self._frames if type(limit) is int and limit > 0 else limit)

        self._is_kept = True
        self.widen(frames)
        sys.getrecursionlimit, sys.setrecursionlimit = getrecursionlimit, setrecursionlimit  # torch asks for functions
        try:
            yield
        finally:
            sys.getrecursionlimit, sys.setrecursionlimit = _get, _set
            self.narrow(frames)
            self._is_kept = False

    def widen(self, frames: int = 1) -> None:
        """Frames of ours that call the program come on the stack."""
        self._change(frames)

    def narrow(self, frames: int = 1) -> None:
        """They are gone."""
        self._change(-frames)

    def _change(self, frames: int) -> None:
        if not self._is_kept:
            return
        with self._lock:
            try:
                _set(_get() + frames)
            except RecursionError:  # the stack is higher than that: the limit stays as it is
                return
            self._frames += frames


LIMIT = RecursionLimit()


def num_frames() -> int:
    """On the stack, up to the caller's."""
    frame: FrameType | None = sys._getframe(1)
    num = 0
    while frame is not None:
        frame, num = frame.f_back, num + 1
    return num
