"""`surefoot show RUN`: summarises a run: settings, series, findings and events."""

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from surefoot.cli.parsing import parser_of, whole_number
from surefoot.cli.stored import RUN_HELP, add_log_option, load, report_problems
from surefoot.cli.table import cell, duration, number, print_table
from surefoot.cli.usage import UsageError
from surefoot.runlog.media.kind import MEDIA
from surefoot.runlog.read import Run
from surefoot.runlog.read.result import parse_result
from surefoot.runlog.read.summary import Summary, summarize
from surefoot.runlog.write.result import RESULT

_EXAMPLES = """\
  surefoot show latest               the newest run
  surefoot show 20260115 --rank 1    the run whose name starts so, the series of rank 1
"""
_SERIES = """
SELECT name, count(*), max(step), arg_max(value, step), min(value) FILTER (isfinite(value)),
       min_by(step, (value, step)) FILTER (isfinite(value)), max(value) FILTER (isfinite(value)),
       max_by(step, (value, -step)) FILTER (isfinite(value)), count(*) FILTER (NOT isfinite(value))
FROM scalars WHERE rank IS NOT DISTINCT FROM {rank} GROUP BY name ORDER BY name
"""
_HEADERS = ("series", "values", "last step", "last", "lowest", "at", "highest", "at", "not finite")


def main(argv: Sequence[str]) -> int:
    parser = parser_of("show", "Summarise one run: settings, series, findings, events.", _EXAMPLES)
    parser.add_argument("run", metavar="RUN", help=RUN_HELP)
    add_log_option(parser)
    parser.add_argument("--rank", type=whole_number(0), default=0, metavar="N", help="whose series (default: 0)")
    options = parser.parse_args(argv)
    run = load(options.run, options.log)
    _print_facts(summarize([run])[0], run.meta)
    _print_settings(run)
    _print_series(run, options.rank)
    _print_outlook(run)
    _print_findings(run)
    _print_events(run)
    report_problems([problem for process in run for problem in process.problems])
    return 0


def _print_facts(line: Summary, meta: dict[str, str]) -> None:
    ended = f"{line.ended.isoformat(' ', 'seconds')} UTC" if line.ended else None
    commit = line.git_commit and f"{line.git_commit}{' with changes' if line.git_dirty else ''}"
    facts = {
        "run": line.run,
        "name": line.name,
        "group": line.run_group,
        "tags": line.tags,
        "notes": line.notes,
        "archived": "yes" if line.archived else None,
        "status": line.status if line.reason in (None, line.status) else f"{line.status} ({line.reason})",
        "command": line.command or line.script,
        "folder": meta.get("cwd"),
        "started": line.started and f"{line.started.isoformat(' ', 'seconds')} UTC",
        "ended": ended,
        "took": duration(line.seconds),
        "exit status": line.exit,
        "host": line.host,
        "device": line.device,
        "commit": commit,
        "versions": _versions(meta.get("versions")),
        "attempt": line.attempt and f"{line.attempt}, resumed from {line.resumed_from}" if line.resumed_from else None,
        "ranks": line.ranks if line.ranks > 1 else None,
        "updates": line.updates,
        "last loss": None if line.last_loss is None else number(line.last_loss),
    }
    for name, value in facts.items():
        if value not in (None, ""):
            print(f"{name:<12} {cell(value)}")


def _print_settings(run: Run) -> None:
    if run.settings:
        print()
        rows = [(name, setting.text or setting.type, setting.source) for name, setting in run.settings.items()]
        print_table(("setting", "value", "from"), rows)


def _versions(text: str | None) -> str | None:
    try:
        found = json.loads(text) if text else None
    except ValueError:
        return text
    return ", ".join(f"{name} {version}" for name, version in found.items()) if isinstance(found, dict) else text


def _print_series(run: Run, rank: int) -> None:
    try:
        process = run.process(rank)
    except KeyError as error:
        raise UsageError(error.args[0]) from None
    if not any(series.kind == "scalar" for series in process.series()):
        return
    answer = run.ask(_SERIES.format(rank="NULL" if process.rank is None else process.rank))
    print(f"\nseries of rank {rank}" if len(run.processes) > 1 else "")
    print_table(_HEADERS, [(*row[:8], row[8] or None) for row in answer])
    answer.close()
    report_problems([problem for problem in answer.problems if problem not in run.damaged.values()])


def _print_outlook(run: Run) -> None:
    from surefoot.report.convergence import stored_loss_summary

    lines = stored_loss_summary(run.first, goes_on=run.status == "running")
    if lines:
        print("\nthe loss so far:" if run.status == "running" else "\nhow the loss ended:")
    for line in lines:
        print(f"  {cell(line)}")


def _print_findings(run: Run) -> None:
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for process in run:
        for finding in process.findings():
            place = (finding["rule"], finding["file"], finding["line"])
            if place in found:
                finding = {**found[place], "count": found[place]["count"] + finding["count"]}
            found[place] = finding
    num_notes = sum(finding["severity"] == "note" for finding in found.values())
    num = len(found) - num_notes
    notes = f" and {num_notes} note{'s' * (num_notes != 1)}" if num_notes else ""
    print(f"\n{num} finding{'s' * (num != 1)}{notes}{':' if found else ''}")
    for finding in found.values():
        where = f" at {finding['file']}:{finding['line']}" if finding["file"] else ""
        times = f"{finding['count']} times, first at" if finding["count"] > 1 else "at"
        print(f"  {finding['severity']}[{finding['rule']}]{where}, {times} step {finding['step']}")
        print(f"    {cell(finding['message'])}")
    if found:
        print("`surefoot replay RUN` shows them in full, evaluated with the current rules.", file=sys.stderr)


def _print_media(run: Run) -> None:
    found: dict[tuple[str, str], list[int]] = {}
    for process in run:
        for one in process.media():
            found.setdefault((one.name, one.kind), []).append(one.step)
    if found:
        print("\nmedia:")
    for (name, kind), steps in sorted(found.items()):
        print(f"  {cell(name)}: {len(steps)} of kind {kind}, steps {min(steps)} to {max(steps)}")


def _print_events(run: Run) -> None:
    events = [(process.rank, event) for process in run for event in process.events() if event.kind != MEDIA]
    _print_media(run)
    if not events:
        return
    print("\nevents:")
    for rank, event in sorted(events, key=lambda pair: pair[1].time):
        when = datetime.fromtimestamp(event.time, UTC).strftime("%Y-%m-%d %H:%M:%S")
        whose = f" rank {rank}" if len(run.processes) > 1 else ""
        result = parse_result(event.text) if event.kind == RESULT else None
        message = event.text if result is None else f"{result['of']}: {result.get('summary')}"
        print(f"  {when}{whose} step {event.step} {event.kind}: {cell(message)}")
