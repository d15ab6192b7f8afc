"""`surefoot query SQL`: ask all runs."""

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from surefoot.cli.parsing import add_log_option, number, parser_of
from surefoot.cli.rows import print_csv, print_json
from surefoot.cli.table import print_tables
from surefoot.cli.usage import UsageError
from surefoot.runlog.box.box import Question
from surefoot.runlog.box.boxes import Boxes
from surefoot.runlog.box.confine import read_memory
from surefoot.runlog.box.error import QueryError

_EXAMPLES = """\
  surefoot query "select run, last_loss from runs order by last_loss"
  surefoot query "select step, value from scalars where name = 'loss' and run like '%train%'" --format csv -o loss.csv
  surefoot query "select rule, count(*) from findings group by rule"
  surefoot query "describe scalars"        the columns of a view
  surefoot query - < question.sql

Views: runs, scalars, params, steps, findings, hists, events. SQL is DuckDB's; it reads, and changes nothing.
"""
_FIRST_WORDS = ("select", "with", "from", "describe", "show", "summarize", "values")


def main(argv: Sequence[str]) -> int:
    if sum(not word.startswith("-") for word in argv) > 1 and argv[0].lower() in _FIRST_WORDS:
        raise UsageError('the query is one argument: put quotes around it, as in surefoot query "select * from runs".')
    options = _parser().parse_args(argv)
    if options.format == "parquet" and options.output is None:
        raise UsageError("Parquet is a binary format: name a file with -o FILE.")
    boxes = Boxes(options.memory)
    boxes.warm_up()  # while this process loads what it needs itself
    from surefoot.cli.stored import report_problems
    from surefoot.runlog.read import RunLogError, open_runs

    try:
        open_runs(options.log)  # says now what is wrong with the folder
        query = sys.stdin.read() if options.sql == "-" else options.sql
        problems = _answer(boxes, Question(query, options.log, seconds=options.seconds), options)
    except (QueryError, RunLogError) as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise UsageError(f"{options.output} can't be written: {error.strerror or error}.") from None
    finally:
        boxes.close()
    report_problems(problems)
    return 0


def _parser() -> ArgumentParser:
    parser = parser_of("query", "Ask runs with SQL.", _EXAMPLES)
    parser.add_argument("sql", metavar="SQL", help='a SELECT; "-" reads it from standard input')
    add_log_option(parser)
    parser.add_argument("--format", choices=("table", "csv", "json", "parquet"), default="table")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write to FILE instead of standard output")
    seconds = number(0.001, wanted="a number of seconds above 0")
    parser.add_argument("--seconds", type=seconds, default=60.0, help="stop a query that takes longer (default: 60)")
    parser.add_argument("--memory", type=_memory, default="2GB", metavar="AMOUNT",
                        help="stop a query that needs more (default: 2GB)")  # fmt: skip
    return parser


def _memory(text: str) -> str:
    try:
        read_memory(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
    return text


def _answer(boxes: Boxes, question: Question, options: Namespace) -> list[str]:
    """Runs the query and writes the result; returns the runs that could not be read."""
    if options.output is None:
        return _written(boxes, question, options.format, sys.stdout)
    # Whole or not at all: an older file of that name stays until the new one is complete.
    part = options.output.with_name(f".{options.output.name}.{os.getpid()}.part")
    try:
        if options.format == "parquet":
            with boxes.asked(replace(question, into=part)) as answer:
                answer.rows()
                problems = answer.problems
        else:
            with part.open("w", encoding="utf-8", newline="") as stream:
                problems = _written(boxes, question, options.format, stream)
        part.replace(options.output)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return problems


def _written(boxes: Boxes, question: Question, form: str, stream: IO[str]) -> list[str]:
    with boxes.asked(question) as answer:
        if form == "table":
            print_tables(answer.columns, answer.batches(), stream)
        else:
            (print_csv if form == "csv" else print_json)(answer.columns, answer.batches(), stream)
    return answer.problems
