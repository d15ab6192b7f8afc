"""Parsers of commands. Wrong usage gets a one-line answer that says what to do."""

import argparse
import difflib
import math
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from surefoot.cli.usage import UsageError

DEFAULT_LOG = Path("runs")
_NO_VALUE = re.compile(r"(argument \S+): ignored explicit argument .*")


class CommandParser(argparse.ArgumentParser):
    """Without abbreviations, so that a later option never changes what a command means."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False, **given})

    def parse_args(self, args: Iterable[str] | None = None) -> argparse.Namespace:  # type: ignore[override]
        options, unknown = self.parse_known_args(None if args is None else list(args))
        if unknown:
            self.error(self._unknown(unknown))
        return options

    def error(self, message: str) -> NoReturn:
        message = _NO_VALUE.sub(r"\1: takes no value", message)
        missing = message.removeprefix("the following arguments are required: ")
        shown = message.removeprefix("argument ") if missing == message else f"{self.prog} needs {missing}"
        raise UsageError(f"{shown.rstrip('.?')}{'?' if shown.endswith('?') else '.'} See `{self.prog} --help`.")

    def _unknown(self, words: Sequence[str]) -> str:
        """Values are not repeated: what follows a mistyped option may be a secret."""
        options = [word.partition("=")[0] for word in words if word.startswith("-") and len(word) > 1]
        if not options:
            return f"{self.prog} takes no further arguments, got: {' '.join(words)}"
        return f"{self.prog} has no option {options[0]}.{did_you_mean(options[0], self._option_string_actions)}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            listed = ", ".join(map(str, action.choices))
            hint = did_you_mean(str(value), map(str, action.choices))
            raise argparse.ArgumentError(action, f"must be one of {listed}, got {value!r}.{hint}")


def parser_of(command: str, description: str, examples: str = "", **given: Any) -> CommandParser:
    epilog = f"examples:\n{examples}" if examples else None
    return CommandParser(prog=f"surefoot {command}", description=description, epilog=epilog, **given)


def add_log_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--log", type=Path, default=DEFAULT_LOG, metavar="DIR", help="where runs are logged (default: runs)"
    )


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence with the nearest name, or nothing."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean {near[0]}?" if near else ""


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """For the `type` of an option."""
    wanted = f"a whole number from {least} to {most}" if most is not None else f"a whole number, at least {least}"

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or (most is not None and number > most):
            raise argparse.ArgumentTypeError(f"must be {wanted}, got {text!r}")
        return number

    return read


def number(least: float = -math.inf, most: float = math.inf, *, wanted: str = "a number") -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            found = float(text)
        except ValueError:
            found = math.nan
        if not least <= found <= most:
            raise argparse.ArgumentTypeError(f"must be {wanted}, got {text!r}")
        return found

    return read


positive = whole_number(1)
port = whole_number(0, 65535)
