"""`surefoot runs`: a line a run."""

import dataclasses
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from surefoot.cli.editing import EDITS, edit
from surefoot.cli.parsing import parser_of, positive
from surefoot.cli.rows import print_csv, print_json
from surefoot.cli.stored import report_problems
from surefoot.cli.table import print_table
from surefoot.cli.usage import UsageError
from surefoot.runlog.read import Run, RunLogError, Runs
from surefoot.runlog.read.error import Unreadable
from surefoot.runlog.read.summary import Summary, summarize

STATUSES = ("running", "finished", "failed", "crashed", "unreadable")

_EXAMPLES = """\
  surefoot runs                              the runs of ./runs, the newest first
  surefoot runs --status crashed             those whose process is gone without an end
  surefoot runs --script train --limit 10    the newest ten of a script
  surefoot runs --group width --settings width,lr,seen/optimizer
  surefoot runs /data/runs --format json     all columns of the view `runs`
  surefoot runs tag latest baseline good     edit one: `surefoot runs EDIT --help` tells more about rename, tag, untag,
                                             group, note, archive, unarchive, delete, restore and undo
"""


def main(argv: Sequence[str]) -> int:
    if argv and argv[0] in EDITS:
        return edit(argv[0], argv[1:])
    parser = parser_of("runs", "List runs, the newest first, or edit what they are called.", _EXAMPLES)
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR", help="where runs are logged (default: runs)")
    parser.add_argument("--log", type=Path, default=Path("runs"), metavar="DIR", help="the same as DIR")
    parser.add_argument("--status", action="append", choices=STATUSES, help="only runs with this status; repeatable")
    parser.add_argument("--script", metavar="TEXT", help="only runs whose script name contains TEXT")
    parser.add_argument("--tag", action="append", default=[], metavar="TEXT", help="only runs with this tag")
    parser.add_argument("--group", metavar="TEXT", help="only runs of this group")
    parser.add_argument("--archived", action="store_true", help="include archived runs")
    parser.add_argument("--settings", default="", metavar="NAME,…", help="settings to show as columns")
    parser.add_argument("--limit", type=positive, metavar="N", help="at most N")
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table")
    options = parser.parse_args(argv)
    runs = Runs(options.folder or options.log)
    try:
        wanted = list(_wanted(runs, options))
        lines = summarize(wanted)
    except RunLogError as error:
        raise UsageError(str(error)) from None
    settings = [name.strip() for name in options.settings.split(",") if name.strip()]
    values = [[_setting(run, name) for name in settings] for run in wanted]
    _print(lines, options.format, settings, values)
    if not lines and options.format == "table":
        print(_nothing(runs), file=sys.stderr)
    report_problems([problem for run in wanted if isinstance(run, Run) for problem in run.problems])
    return 0


def _wanted(runs: Runs, options: Namespace) -> Iterator[Run | Unreadable]:
    """The newest first; no more of them are opened than are shown."""
    statuses, script = options.status, options.script
    num_found = 0
    for run in runs.load(newest_first=True):
        status = run.status if isinstance(run, Run) else "unreadable"
        name = Path(run.meta.get("script", "")).name if isinstance(run, Run) else run.name
        fits = (statuses is None or status in statuses) and (script is None or script in name)
        if fits and _is_labelled(run, options.tag, options.group, archived=options.archived):
            if num_found == options.limit:
                return
            num_found += 1
            yield run


def _is_labelled(run: Run | Unreadable, tags: list[str], group: str | None, *, archived: bool) -> bool:
    if isinstance(run, Unreadable):
        return not tags and group is None
    if run.labels.archived and not archived:
        return False
    return set(tags) <= set(run.labels.tags) and group in (None, run.labels.group)


def _setting(run: Run | Unreadable, name: str) -> Any:
    """A number as a number, else its text."""
    found = run.settings.get(name) if isinstance(run, Run) else None
    if found is None:
        return None
    return found.value if isinstance(found.value, int | float) else found.text


def _print(lines: list[Summary], form: str, settings: list[str], values: list[list[Any]]) -> None:
    if form == "table":
        if lines:
            lines = [dataclasses.replace(line, name=None) if line.name == line.script else line for line in lines]
            labels = [key for key in ("name", "run_group", "tags") if any(getattr(line, key) for line in lines)]
            headers = ("run", "status", "updates", "last loss", "findings")
            shown = [(s.run, s.status, s.updates, s.last_loss, _findings(s)) for s in lines]
            rows = [(*row, *(getattr(s, key) for key in labels)) for row, s in zip(shown, lines, strict=True)]
            heads = [*headers, *(key.removeprefix("run_") for key in labels), *settings]
            print_table(heads, [(*row, *more) for row, more in zip(rows, values, strict=True)])
        return
    columns = [*(field.name for field in dataclasses.fields(Summary)), *settings]
    batches = [[(*dataclasses.astuple(line), *more) for line, more in zip(lines, values, strict=True)]]
    (print_csv if form == "csv" else print_json)(columns, batches, sys.stdout)


def _findings(line: Summary) -> str:
    if line.status == "unreadable":
        return line.reason or ""
    errors = f", {line.errors} error{'s' * (line.errors != 1)}" if line.errors else ""
    return f"{line.findings}{errors}"


def _nothing(runs: Runs) -> str:
    if len(runs):
        return f"surefoot: none of the {len(runs)} runs in {runs.folder} matches."
    return f"surefoot: there is no run in {runs.folder} yet. `surefoot run SCRIPT` creates one."
