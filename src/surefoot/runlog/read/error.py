"""What a reader has to say about files it can't read."""

from collections.abc import Callable

Say = Callable[[str], None]


class RunLogError(Exception):
    """A log that can't be read, and why."""


class RunLogWarning(UserWarning):
    """A part of a log can't be read; the rest was."""


class SegmentGoneError(Exception):
    """A segment of the manifest is no longer there: it was merged into another one since. Read the manifest again."""
