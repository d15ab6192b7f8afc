"""`surefoot replay RUN --alert-dry-run`: when alerts would have been sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from heapq import merge
from itertools import groupby
from typing import TYPE_CHECKING

from surefoot.alerts.dry_run import DryRun, Row, dry_run
from surefoot.alerts.evaluator import AlertEvaluator
from surefoot.alerts.when import Wanted
from surefoot.cli.table import cell, print_table
from surefoot.cli.voice import Voice
from surefoot.judge import Finding
from surefoot.runlog.read.process import StoredProcess

if TYPE_CHECKING:
    from surefoot.runlog.read.column import Column


def report_alerts(process: StoredProcess, wanted: Wanted, findings: Sequence[Finding], voice: Voice) -> None:
    """A line an alert, on stdout."""
    found = _rehearse(process, wanted, findings)
    rows = [
        (
            alert.step,
            datetime.fromtimestamp(alert.time, UTC).strftime("%Y-%m-%d %H:%M:%S"),
            alert.title,
            _why(alert.message),
        )
        for alert in found.alerts
    ]
    if rows:
        print_table(("step", "time (UTC)", "alert", "because"), rows)
    for name in found.unseen:
        voice.say(f"an alert refers to {name!r}, which the run never logged.")
    num = len(rows)
    held = f", {found.num_held} held back" if found.num_held else ""
    voice.say(f"{num} alert{'s' * (num != 1)} would have been sent{held}.")


def _rehearse(process: StoredProcess, wanted: Wanted, findings: Sequence[Finding]) -> DryRun:
    names = AlertEvaluator(wanted).names
    columns = process.columns(lambda series: series.kind == "scalar" and (names is None or series.name in names))
    if not columns and findings:  # a clock for them
        columns = process.columns(lambda series: series.kind == "scalar")
    by_name = {series.name: column for series, column in columns.items()}
    end = max((float(column.times[-1]) for column in by_name.values() if len(column)), default=0.0)
    return dry_run(wanted, _rows(by_name), _timed(findings, by_name.values()), _ended(process, end))


def _rows(columns: dict[str, Column]) -> Iterator[Row]:
    """Values that were logged together, grouped again, in the order of logging."""
    streams = [_values(name, column) for name, column in columns.items()]
    for (time, step), together in groupby(merge(*streams), key=lambda one: one[:2]):
        some = list(together)
        yield time, step, tuple(name for _, _, name, _ in some), tuple(value for *_, value in some)


def _values(name: str, column: Column) -> Iterator[tuple[float, int, str, float]]:
    order = column.times.argsort(kind="stable")
    triples = zip(
        column.times[order].tolist(), column.steps[order].tolist(), column.values[order].tolist(), strict=True
    )
    return ((time, step, name, value) for time, step, value in triples)


def _timed(findings: Sequence[Finding], columns: Iterable[Column]) -> list[tuple[float, Finding]]:
    """When each was found: facts have no time, but the values logged at their steps do."""
    longest = max(columns, key=len, default=None)
    if longest is None or not len(longest):
        return [(0.0, finding) for finding in findings]
    last = len(longest) - 1
    places = [min(int(longest.steps.searchsorted(finding.step)), last) for finding in findings]
    return [(float(longest.times[place]), finding) for place, finding in zip(places, findings, strict=True)]


def _ended(process: StoredProcess, last: float) -> float:
    try:
        return max(last, float(process.meta["beat"]))
    except (KeyError, ValueError):
        return last


def _why(message: str) -> str:
    return cell(" ".join(message.splitlines()[1:2]) or message)
