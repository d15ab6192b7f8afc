"""When alerts would have been sent over an old run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from surefoot.alerts.alert import Alert, Found
from surefoot.alerts.evaluator import AlertEvaluator
from surefoot.alerts.when import Wanted

Row = tuple[float, int, tuple[str, ...], tuple[float, ...]]  # time, step, names, values


@dataclass(slots=True)
class DryRun:
    alerts: list[Alert] = field(default_factory=list)
    num_held: int = 0
    unseen: list[str] = field(default_factory=list)  # series that expressions name and the run never had


def dry_run(wanted: Wanted, rows: Iterable[Row], findings: Iterable[tuple[float, Found]], end: float) -> DryRun:
    """Rows and findings in the order of their times; `end` is when the run ended."""
    evaluator = AlertEvaluator(wanted)
    message = list(_alerts(evaluator, rows, sorted(findings, key=lambda pair: pair[0]), end))
    return DryRun(message, evaluator.limit.num_held, evaluator.unseen)


def _alerts(
    evaluator: AlertEvaluator, rows: Iterable[Row], findings: list[tuple[float, Found]], end: float
) -> Iterator[Alert]:
    waiting = iter(findings)
    found = next(waiting, None)
    for time, step, names, values in rows:
        while found is not None and found[0] <= time:
            yield from evaluator.finding(found[1], found[0])
            found = next(waiting, None)
        yield from evaluator.tick(time)  # what came true while nothing was logged
        yield from evaluator.row(names, step, time, values)
    while found is not None:
        yield from evaluator.finding(found[1], found[0])
        found = next(waiting, None)
    yield from evaluator.tick(end)
