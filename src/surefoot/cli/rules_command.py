"""`surefoot rules`: the catalogue as a table or as JSON."""

import json
import sys
from collections.abc import Sequence

from surefoot.cli.choice import split
from surefoot.cli.parsing import parser_of
from surefoot.cli.usage import UsageError
from surefoot.judge import UnknownRuleError, select
from surefoot.rules import Rule
from surefoot.rules.catalogue import catalogue

_STYLES = {"error": "red", "warning": "yellow", "note": "cyan"}


def main(argv: Sequence[str]) -> int:
    parser = parser_of("rules", "List all rules.")
    parser.add_argument("names", nargs="*", metavar="RULE", help="only these rules or families")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(argv)
    try:
        rules = select(catalogue(), split(options.names)).values()
    except UnknownRuleError as error:
        raise UsageError(str(error)) from None
    if options.format == "json":
        print(json.dumps([_as_dict(rule) for rule in rules], indent=2))
    else:
        _print_table(list(rules))
    return 0


def _as_dict(rule: Rule) -> dict[str, str]:
    return {"rule": rule.name, "family": rule.family, "level": rule.level, "summary": rule.summary}


def _print_table(rules: list[Rule]) -> None:
    rows = [("family", "rule", "level", "finds"), *((r.family, r.name, r.level, r.summary) for r in rules)]
    if sys.stdout.isatty():
        _print_in_colours(rows)
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:  # one line a rule, for grep
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _print_in_colours(rows: list[tuple[str, str, str, str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in rows[0]:
        table.add_column(name, no_wrap=name != "finds")
    for family, rule, level, finds in rows[1:]:
        table.add_row(family, rule, f"[{_STYLES[level]}]{level}[/]", finds)
    Console(file=sys.stdout, highlight=False).print(table)
