"""Whose exception is it? One that reaches our code may be the program's: its signal handlers run anywhere."""

from __future__ import annotations

import functools
import signal
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

_OWN = str(Path(__file__).resolve().parent.parent)
_OURS = ("builtins", "torch", "numpy", "surefoot", "duckdb", "sqlite3")  # whose exceptions our own code may raise


def is_the_programs(error: BaseException) -> bool:
    """Raised by a signal handler of the program, or put into the running thread from outside, as time-outs are.

    What a method of the program raises because we called it is our failure.
    """
    handlers = set(_handlers())
    code: CodeType | None = None
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code in handlers:
            return True
        traceback = traceback.tb_next
    foreign = type(error).__module__.partition(".")[0] not in _OURS
    return foreign and code is not None and code.co_filename.startswith(_OWN)


def _handlers() -> Iterator[CodeType]:
    for number in signal.valid_signals():
        handler: Any = signal.getsignal(number)
        while isinstance(handler, functools.partial):
            handler = handler.func
        if not hasattr(handler, "__code__") and callable(handler):
            handler = getattr(handler, "__func__", None) or type(handler).__call__
        code = getattr(handler, "__code__", None)
        if isinstance(code, CodeType):
            yield code
