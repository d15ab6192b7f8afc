"""`surefoot query SQL`: ask all runs."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from surefoot.cli.parsing import number, parser_of
from surefoot.cli.rows import print_csv, print_json
from surefoot.cli.stored import add_log_option, tell_problems
from surefoot.cli.table import print_table
from surefoot.cli.usage import UsageError
from surefoot.runlog.read import RunLogError, open_runs

if TYPE_CHECKING:
    from surefoot.runlog.read.sql import Answer

_EXAMPLES = """\
  surefoot query "select run, last_loss from runs order by last_loss"
  surefoot query "select step, value from scalars where name = 'loss' and run like '%train%'" --format csv -o loss.csv
  surefoot query "select rule, count(*) from findings group by rule"
  surefoot query "describe scalars"        the columns of a view
  surefoot query - < question.sql

Views: runs, scalars, params, steps, findings, hists, events. SQL is DuckDB's; it reads, and changes nothing.
"""


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    query = sys.stdin.read() if options.sql == "-" else options.sql
    if options.format == "parquet" and options.output is None:
        raise UsageError("Parquet is no text: name a file with -o FILE.")
    from surefoot.runlog.read.sql import QueryError

    try:
        problems = _answer(query, options)
    except (QueryError, RunLogError) as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise UsageError(f"{options.output} can't be written: {error.strerror or error}.") from None
    tell_problems(problems)
    return 0


def _parser() -> ArgumentParser:
    parser = parser_of("query", "Ask runs with SQL.", _EXAMPLES)
    parser.add_argument("sql", metavar="SQL", help='a SELECT; "-" reads it from standard input')
    add_log_option(parser)
    parser.add_argument("--format", choices=("table", "csv", "json", "parquet"), default="table")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write there instead of to standard output")
    seconds = number(0.001, wanted="a number of seconds above 0")
    parser.add_argument("--seconds", type=seconds, default=60.0, help="stop a query that takes longer (default: 60)")
    return parser


def _answer(query: str, options: Namespace) -> list[str]:
    """Ask and write; what could not be read."""
    runs = open_runs(options.log)
    if options.output is None:
        answer = runs.sql(query, seconds=options.seconds)
        _write(answer, options.format, sys.stdout)
        return _closed(answer)
    # Whole or not at all: an older file of that name stays until the new one is complete.
    part = options.output.with_name(f".{options.output.name}.{os.getpid()}.part")
    try:
        if options.format == "parquet":
            answer = runs.sql(query, seconds=options.seconds, into=part)
        else:
            answer = runs.sql(query, seconds=options.seconds)
            with part.open("w", encoding="utf-8", newline="") as stream:
                _write(answer, options.format, stream)
        part.replace(options.output)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return _closed(answer)


def _write(answer: "Answer", form: str, stream: IO[str]) -> None:
    if form == "table":
        print_table(answer.columns, answer.rows(), stream)
    else:
        (print_csv if form == "csv" else print_json)(answer.columns, answer.batches(), stream)


def _closed(answer: "Answer") -> list[str]:
    answer.close()
    return answer.problems
