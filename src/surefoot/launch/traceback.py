"""Tracebacks as plain Python would show them: without our frames, wherever they stand."""

import sys
import threading
from pathlib import Path
from types import TracebackType

_OWN = str(Path(__file__).resolve().parent.parent)


def clean(error: BaseException | None) -> None:
    """Take our frames out of an exception's traceback, and out of those it came from."""
    seen: set[int] = set()
    todo = [error]
    while todo:
        error = todo.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        error.__traceback__ = _without_ours(error.__traceback__)
        todo += [error.__cause__, error.__context__]
        if isinstance(error, BaseExceptionGroup):
            todo += error.exceptions


def clean_in_threads() -> None:
    """Take our frames out of what Python shows of exceptions that end a thread."""
    original = threading.excepthook

    def excepthook(args: threading.ExceptHookArgs) -> None:
        clean(args.exc_value)
        original(threading.ExceptHookArgs((args.exc_type, args.exc_value, _traceback(args.exc_value), args.thread)))

    threading.excepthook = excepthook


def clean_uncaught() -> None:
    """Take our frames out of what Python shows of an exception that ends this process."""
    original = sys.excepthook

    def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if kind.__name__ == "FindingError":
            end_at_user(error)
        clean(error)
        original(kind, error, error.__traceback__)

    sys.excepthook = excepthook


def _traceback(error: BaseException | None) -> TracebackType | None:
    return None if error is None else error.__traceback__


def end_at_user(error: BaseException) -> None:
    """Cut what lies below the last line of the program: for exceptions that we raise ourselves."""
    clean(error)
    last = entry = error.__traceback__
    while entry is not None:
        if not _is_library(entry):
            last = entry
        entry = entry.tb_next
    if last is not None:
        last.tb_next = None


def _without_ours(first: TracebackType | None) -> TracebackType | None:
    while first is not None and _is_ours(first):
        first = first.tb_next
    entry = first
    while entry is not None:
        while entry.tb_next is not None and _is_ours(entry.tb_next):
            entry.tb_next = entry.tb_next.tb_next
        entry = entry.tb_next
    return first


def _is_ours(entry: TracebackType) -> bool:
    return entry.tb_frame.f_code.co_filename.startswith(_OWN)


def _is_library(entry: TracebackType) -> bool:
    file = entry.tb_frame.f_code.co_filename
    return file.startswith("<") or "site-packages" in file or "dist-packages" in file
