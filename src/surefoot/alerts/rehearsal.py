"""When alerts would have been sent over an old run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from surefoot.alerts.alert import Alert, Found
from surefoot.alerts.lookout import Lookout
from surefoot.alerts.when import Wanted

Row = tuple[float, int, tuple[str, ...], tuple[float, ...]]  # time, step, names, values


@dataclass(slots=True)
class Rehearsal:
    alerts: list[Alert] = field(default_factory=list)
    num_held: int = 0
    unseen: list[str] = field(default_factory=list)  # series that expressions name and the run never had


def rehearse(wanted: Wanted, rows: Iterable[Row], findings: Iterable[tuple[float, Found]], end: float) -> Rehearsal:
    """Rows and findings in the order of their times; `end` is when the run ended."""
    lookout = Lookout(wanted)
    told = list(_alerts(lookout, rows, sorted(findings, key=lambda pair: pair[0]), end))
    return Rehearsal(told, lookout.limit.num_held, lookout.unseen)


def _alerts(lookout: Lookout, rows: Iterable[Row], findings: list[tuple[float, Found]], end: float) -> Iterator[Alert]:
    waiting = iter(findings)
    found = next(waiting, None)
    for time, step, names, values in rows:
        while found is not None and found[0] <= time:
            yield from lookout.finding(found[1], found[0])
            found = next(waiting, None)
        yield from lookout.tick(time)  # what came true while nothing was logged
        yield from lookout.row(names, step, time, values)
    while found is not None:
        yield from lookout.finding(found[1], found[0])
        found = next(waiting, None)
    yield from lookout.tick(end)
