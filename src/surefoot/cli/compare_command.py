"""`surefoot compare RUN RUN`: which settings differ, and where the series part."""

from collections.abc import Sequence

from surefoot.cli.parsing import parser_of
from surefoot.cli.stored import RUN_HELP, add_log_option, load, tell_problems
from surefoot.cli.table import cell, print_table

_EXAMPLES = """\
  surefoot compare 20260115-231405 latest
  surefoot compare runs/before other/after    runs of different folders, by path
"""
_HEADERS = (
    "series", "last A", "last B", "lowest A", "lowest B", "common steps", "first difference", "largest difference",
)  # fmt: skip


def main(argv: Sequence[str]) -> int:
    parser = parser_of("compare", "Compare two runs: settings, series, the first step where they differ.", _EXAMPLES)
    parser.add_argument("first", metavar="RUN", help=RUN_HELP)
    parser.add_argument("second", metavar="RUN")
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
        print("No setting differs: command, commit, versions, device and host are the same.")
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
    tell_problems([problem for run in (first, second) for process in run for problem in process.problems])
    return 0


def _shown(value: object) -> str:
    return "not known" if value is None else cell(value)
