"""Options and errors that the lab's commands share: what MODULE:NAME names, and where the output goes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from surefoot.cli.usage import UsageError

TARGET_HELP = "a module or a file, a colon, and a function in it: train:make_loop, train.py:make_loop"


def add_output_options(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    parser.add_argument("--format", choices=formats, default="text", help="of the output (default: text)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write it to a file instead of stdout")


def write_output(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{str(output)!r} can't be written: {error.strerror}.") from None


def load_target(target: str) -> Any:
    """The object that MODULE:NAME names. Exceptions raised while importing its module go to the user."""
    from surefoot.lab.named import load_named

    with unloadable_shown():
        return load_named(target)


@contextmanager
def unloadable_shown() -> Iterator[None]:
    """Wrong names, and files that are not Python."""
    from surefoot.lab.named import NamingError

    try:
        yield
    except NamingError as error:
        raise UsageError(str(error)) from None
    except SyntaxError as error:
        raise UsageError(f"{error.filename}, line {error.lineno}, is not valid Python: {error.msg}.") from None


@contextmanager
def refusals_shown() -> Iterator[None]:
    """Errors of surefoot are shown as one line; exceptions of the program keep their traceback."""
    try:
        yield
    except (ValueError, TypeError) as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if trace is None or not trace.tb_frame.f_globals.get("__name__", "").startswith("surefoot."):
            raise
        raise UsageError(str(error)) from None
