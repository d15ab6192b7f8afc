"""`surefoot report RUN -o report.html`: the dashboard's page of one run as a file, to share."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from surefoot.cli.parsing import parser_of
from surefoot.cli.stored import RUN_HELP, add_log_option, load, report_problems
from surefoot.cli.table import cell, size
from surefoot.cli.usage import UsageError

_EXAMPLES = """\
  surefoot report latest -o report.html     the newest run, as a file that needs nothing else
  surefoot report 20260115 -o before.html

It holds what the dashboard shows of the run: curves of up to 2,000 points, heatmaps, histograms, findings with
their source, the command, versions and host. A file that exists is replaced with --force only.
"""


def main(argv: Sequence[str]) -> int:
    parser = parser_of("report", "Write a run as one HTML file.", _EXAMPLES)
    parser.add_argument("run", metavar="RUN", help=RUN_HELP)
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("report.html"), metavar="FILE", help="default: report.html"
    )
    parser.add_argument("--force", action="store_true", help="replace FILE if it exists")
    add_log_option(parser)
    options = parser.parse_args(argv)
    if options.output.is_file() and not options.force:
        raise UsageError(f"{options.output} exists. Name another file with -o, or replace it with --force.")
    run = load(options.run, options.log)
    from surefoot.dashboard.report import report_html

    text, is_new = report_html(run), not options.output.exists()
    try:
        options.output.write_text(text, encoding="utf-8")
    except OSError as error:
        if is_new:
            with suppress(OSError):
                options.output.unlink(missing_ok=True)
        raise UsageError(f"{options.output} can't be written: {error.strerror or error}.") from None
    print(cell(f"{run.name} is written to {options.output} ({size(len(text))})."))
    report_problems([problem for process in run for problem in process.problems])
    return 0
