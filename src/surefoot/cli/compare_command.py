"""`surefoot compare RUN RUN`: which settings differ, and where the series diverge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from surefoot.cli.parsing import number, parser_of
from surefoot.cli.stored import RUN_HELP, add_log_option, load, report_problems
from surefoot.cli.table import cell, print_table

if TYPE_CHECKING:
    from argparse import Namespace

    from surefoot.runlog.read import Run
    from surefoot.runlog.read.compare import Curves

_EXAMPLES = """\
  surefoot compare 20260115-231405 latest
  surefoot compare runs/before other/after    runs of different folders, by path
  surefoot compare --bisect 20260115 latest   run both again, and name the first operation that differs
"""
_HEADERS = (
    "series", "last A", "last B", "lowest A", "lowest B", "common steps", "first difference", "largest difference",
)  # fmt: skip


def main(argv: Sequence[str]) -> int:
    parser = parser_of("compare", "Compare two runs: settings, series, the first step where they differ.", _EXAMPLES)
    parser.add_argument("first", metavar="RUN", help=RUN_HELP)
    parser.add_argument("second", metavar="RUN")
    parser.add_argument(
        "--bisect",
        action="store_true",
        help="run both programs again, twice, and find the first operation that differs",
    )
    parser.add_argument(
        "--timeout",
        type=number(0.001, wanted="a number of seconds above 0"),
        default=600.0,
        metavar="SECONDS",
        help="for each rerun (default: 600)",
    )
    add_log_option(parser)
    options = parser.parse_args(argv)
    from surefoot.runlog.read.compare import compare_series, settings_that_differ

    first, second = load(options.first, options.log), load(options.second, options.log)
    print(f"A  {cell(first.name)}\nB  {cell(second.name)}\n")
    differing = settings_that_differ(first, second)
    if differing:
        rows = [(name, _shown(one), _shown(two)) for name, (one, two) in differing.items()]
        print_table(("setting", "A", "B"), rows)
    else:
        print("Settings, command, commit, versions, device and host are the same.")
    print()
    series = list(compare_series(first, second))
    if series:
        print_table(_HEADERS, [(
            curves.name, *curves.last, *curves.lowest, curves.num_common,
            "none" if curves.first_difference is None and curves.num_common else curves.first_difference,
            curves.largest_difference,
        ) for curves in series])  # fmt: skip
    else:
        print("Neither run has logged a series.")
    report_problems([problem for run in (first, second) for process in run for problem in process.problems])
    if options.bisect:
        print()
        _bisect(first, second, series, options)
    return 0


def _bisect(first: Run, second: Run, series: Sequence[Curves], options: Namespace) -> None:
    from surefoot.cli.bisecting import OF_THE_MACHINE, report_divergence

    computed = [curves for curves in series if curves.name not in OF_THE_MACHINE]
    steps = [curves.first_difference for curves in computed if curves.first_difference is not None]
    if steps:
        report_divergence(first, second, min(steps), options)
    else:
        print("All logged values are the same: there is nothing to look for.")


def _shown(value: object) -> str:
    return "not known" if value is None else cell(value)
