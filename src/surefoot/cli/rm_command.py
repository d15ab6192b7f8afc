"""`surefoot rm RUN…`: delete runs by name."""

from collections.abc import Sequence

from surefoot.cli.deleting import ask, carry_out, show
from surefoot.cli.parsing import parser_of
from surefoot.cli.stored import RUN_HELP, add_log_option, find
from surefoot.cli.usage import UsageError
from surefoot.runlog.read import RunLogError
from surefoot.runlog.read.disk import footprint

_EXAMPLES = """\
  surefoot rm 20260115-231405-train-3f9c01     shows what would be deleted, and asks
  surefoot rm --yes 20260115-23 20260116-01    by the beginnings of names, without asking

Only the run's log is deleted: other files in its folder are kept. A run that is running is refused.
"""


def main(argv: Sequence[str]) -> int:
    parser = parser_of("rm", "Delete runs.", _EXAMPLES)
    parser.add_argument("runs", nargs="+", metavar="RUN", help=RUN_HELP)
    add_log_option(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")
    options = parser.parse_args(argv)
    folders = dict.fromkeys(find(name, options.log) for name in options.runs)
    try:
        runs = [footprint(folder) for folder in folders]
    except RunLogError as error:
        raise UsageError(str(error)) from None
    for run in runs:
        if run.in_use:
            raise UsageError(f"run {run.name} is {run.status}: nothing was deleted. Stop it first.")
        if run.folder.is_symlink():
            raise UsageError(f"{run.folder} is a link to {run.folder.resolve()}. Delete that, or remove the link.")
    show(runs)
    return carry_out(runs) if ask(runs, (), yes=options.yes) else 0
