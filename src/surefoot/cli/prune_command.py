"""`surefoot prune`: delete old runs and the leftovers of killed writers."""

import re
import time
from argparse import ArgumentTypeError
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from surefoot.cli.deleting import ask, carry_out, show
from surefoot.cli.parsing import parser_of, whole_number
from surefoot.cli.runs_command import STATUSES
from surefoot.cli.stored import add_log_option
from surefoot.cli.usage import UsageError
from surefoot.runlog.read import RunLogError, Runs
from surefoot.runlog.read.disk import Footprint, footprint, orphans

_SECONDS = {"h": 3600, "d": 86400, "w": 7 * 86400}
_EXAMPLES = """\
  surefoot prune                                   sweep segments that killed writers left behind
  surefoot prune --older-than 30d --keep 10        runs not written for 30 days, but never the newest ten
  surefoot prune --status crashed --older-than 1w
  surefoot prune --keep 100 --yes                  all but the newest hundred, without asking

What will be deleted is shown first. A run that is running is never deleted.
"""


def main(argv: Sequence[str]) -> int:
    parser = parser_of("prune", "Delete old runs and the leftovers of killed writers.", _EXAMPLES)
    parser.add_argument("--older-than", type=age, metavar="AGE", help="last written longer ago than AGE: 12h, 30d, 8w")
    parser.add_argument(
        "--status",
        action="append",
        choices=[s for s in STATUSES if s != "running"],
        help="only runs with this status; repeatable",
    )
    parser.add_argument("--keep", type=whole_number(0), metavar="N", help="keep the newest N")
    add_log_option(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")
    options = parser.parse_args(argv)
    try:
        runs = _chosen(Runs(options.log), options.older_than, options.status, options.keep)
        files = _orphans(Runs(options.log), {run.name for run in runs})
    except RunLogError as error:
        raise UsageError(str(error)) from None
    if not runs and not files:
        print("There is nothing to delete.")
        return 0
    show(runs, files)
    return carry_out(runs, files) if ask(runs, files, yes=options.yes) else 0


def _chosen(runs: Runs, older_than: float | None, statuses: list[str] | None, keep: int | None) -> list[Footprint]:
    """Without a criterion, none."""
    names = runs.names()
    if older_than is None and statuses is None and keep is None:
        return []
    found = []
    for name in names[: max(0, len(names) - (keep or 0))]:
        run = footprint(runs.folder / name)
        is_old = older_than is None or time.time() - run.last_write > older_than
        # What can't be read is deleted only by name, or when asked for: it may be whole for another version.
        is_meant = run.status != "unreadable" if statuses is None else run.status in statuses
        if is_old and is_meant and not run.in_use and not run.folder.is_symlink():
            found.append(run)
    return found


def _orphans(runs: Runs, deleted: set[str]) -> list[Path]:
    found: list[Path] = []
    for name in runs.names():
        with suppress(RunLogError):  # what can't be read is left alone
            found += orphans(runs.folder / name) if name not in deleted else []
    return found


def age(text: str) -> float:
    parsed = re.fullmatch(r"(\d+)([hdw])", text.strip())
    if parsed is None:
        raise ArgumentTypeError(f"must be a number of hours, days or weeks such as 12h, 30d or 8w, got {text!r}")
    return int(parsed[1]) * _SECONDS[parsed[2]]
