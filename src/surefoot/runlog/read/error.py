"""What a reader has to say about files it can't read."""

import sqlite3
import struct
import warnings
from collections.abc import Callable, Iterable

Say = Callable[[str], None]


class RunLogError(Exception):
    """A log that can't be read, and why."""


# What reading a damaged log may raise, or one that somebody has made to look like a log.
DAMAGE = (RunLogError, OSError, ValueError, TypeError, LookupError, sqlite3.Error, struct.error)


class RunLogWarning(UserWarning):
    """A part of a log can't be read; the rest was."""


class SegmentGoneError(Exception):
    """A segment of the manifest is no longer there: it was merged into another one since. Read the manifest again."""


class Unreadable:
    """A run of which nothing can be read."""

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self.why = why


def warn_of(problems: Iterable[str], stacklevel: int = 2) -> None:
    """Of whoever called the function that calls this; one frame further out with each more."""
    for problem in problems:
        warnings.warn(problem, RunLogWarning, stacklevel=stacklevel + 1)
