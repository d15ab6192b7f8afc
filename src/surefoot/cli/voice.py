"""surefoot speaks on stderr; stdout belongs to the script."""

import contextlib
import os
import sys
from typing import IO


class Voice:
    """Keeps the stderr of the start, whatever the script puts in its place; never fails."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        self.stream = stream or sys.stderr

    def say(self, text: str) -> None:
        self.write(f"surefoot: {text}\n")

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # a closed pipe, a closed stream
            try:
                self.stream.write(text)
                self.stream.flush()
            except RuntimeError:  # a signal came while the program was writing there itself
                os.write(self.stream.fileno(), text.encode(errors="backslashreplace"))
