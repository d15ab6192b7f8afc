"""Which rules a command runs, by its options and the project's settings."""

import argparse
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path

from surefoot.cli.usage import UsageError
from surefoot.judge import SettingsError, UnknownRuleError, read_settings, select
from surefoot.rules import Rule
from surefoot.rules.catalogue import catalogue


def add_choice_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--select", action="append", default=[], metavar="RULES", help="run only these rules or families"
    )
    parser.add_argument(
        "--ignore", action="append", default=[], metavar="RULES", help="do not run these rules or families"
    )


def choose_rules(options: Namespace, folder: Path) -> dict[str, Rule]:
    """`--select` overrides the project's selection; `--ignore` adds to what it ignores."""
    try:
        settings = read_settings(folder)
    except SettingsError as error:
        raise UsageError(str(error)) from None
    _named(settings.select, settings.ignore, f" in {settings.file}")
    selected = split(options.select) or settings.select
    return _named(selected, [*settings.ignore, *split(options.ignore)])


def check_names(names: Iterable[str]) -> None:
    """Of rules; families are known too."""
    _named(names, [])


def _named(selected: Iterable[str], ignored: Iterable[str], where: str = "") -> dict[str, Rule]:
    try:
        return select(catalogue(), selected, ignored)
    except UnknownRuleError as error:
        raise UsageError(f"{error} `surefoot rules` lists them all{where and f'; this name is{where}'}.") from None


def split(given: Iterable[str]) -> list[str]:
    """`--select a,b --select c` is a, b and c."""
    return [name.strip() for some in given for name in some.split(",") if name.strip()]
