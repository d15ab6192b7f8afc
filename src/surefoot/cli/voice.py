"""surefoot speaks on stderr; stdout belongs to the script."""

import contextlib
import io
import os
import stat
import sys
from typing import IO


class Voice:
    """Keeps the stderr of the start, whatever the script puts in its place; never fails.

    A script may close its descriptor and open a file of its own under that number: then nothing is said any more.
    """

    def __init__(self, stream: IO[str] | None = None) -> None:
        self.stream: IO[str] = stream or sys.stderr or io.StringIO()  # a process may have no stderr
        self._number = _descriptor(self.stream)
        self._start = None if self._number is None else _status(self._number)

    def say(self, text: str) -> None:
        self.write(f"surefoot: {text}\n")

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError, RuntimeError):  # a closed pipe, a closed stream
            if self._number is None:
                self.stream.write(text)
                self.stream.flush()
            elif self._is_stderr(self._number):
                self._write_at_once(self._number, text)

    def _write_at_once(self, number: int, text: str) -> None:
        """Past the stream's buffer: what a broken pipe leaves there would change the exit status."""
        with contextlib.suppress(RuntimeError):  # a signal came while the program was writing there itself
            self.stream.flush()
        data = text.encode(getattr(self.stream, "encoding", None) or "utf-8", errors="backslashreplace")
        while data:
            data = data[os.write(number, data) :]

    def _is_stderr(self, number: int) -> bool:
        """The original stream, even where a script redirects stderr; never a file of the script."""
        if self.stream.closed:
            return False
        now = _status(number)
        is_same = now is not None and self._start is not None and os.path.samestat(now, self._start)
        return is_same or (now is not None and not stat.S_ISREG(now.st_mode) and not stat.S_ISSOCK(now.st_mode))


def _descriptor(stream: IO[str]) -> int | None:
    try:
        return stream.fileno()
    except (OSError, ValueError):
        return None


def _status(number: int) -> os.stat_result | None:
    try:
        return os.fstat(number)
    except OSError:
        return None
