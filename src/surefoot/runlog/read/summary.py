"""A run in one line."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from surefoot.facts.frozen import frozen
from surefoot.runlog.read.error import Unreadable
from surefoot.runlog.read.segment import Segment
from surefoot.runlog.read.vitals import Vitals

if TYPE_CHECKING:
    from surefoot.runlog.read.run import Run


@frozen
class Summary:
    """The columns of the view `runs`. A run that can't be read is "unreadable", and its reason tells why."""

    run: str
    status: str
    script: str | None = None
    command: str | None = None
    started: datetime | None = None  # UTC
    ended: datetime | None = None
    seconds: float | None = None
    host: str | None = None
    device: str | None = None
    git_commit: str | None = None
    git_dirty: bool | None = None
    attempt: int | None = None
    resumed_from: str | None = None
    ranks: int = 0
    updates: int = 0
    last_loss: float | None = None
    findings: int = 0
    errors: int = 0
    reason: str | None = None
    exit: int | None = None
    name: str | None = None
    run_group: str | None = None
    tags: str | None = None
    notes: str | None = None
    archived: bool = False


Lookup = tuple[int, Segment, int]  # the summary's place, the newest segment, the series whose last value is there


def summarize(runs: Iterable[Run | Unreadable]) -> list[Summary]:
    """One line a run."""
    lines: list[Summary] = []
    lookups: list[Lookup] = []
    for run in runs:
        if isinstance(run, Unreadable):
            lines.append(Summary(_as_text(run.name), "unreadable", reason=run.why))
        else:
            line, lookup = _summary(run)
            if lookup is not None:
                lookups.append((len(lines), *lookup))
            lines.append(line)
    for place, loss in _look_up(lookups):
        lines[place] = replace(lines[place], last_loss=loss)
    return lines


def _summary(run: Run) -> tuple[Summary, tuple[Segment, int] | None]:
    vitals = [next(iter(process.vitals), Vitals()) for process in run.processes]
    lookup = vitals[0].sealed_loss
    findings = frozenset[tuple[str, str, str | None, int | None]]().union(*(one.findings for one in vitals))
    meta, labels = run.meta, run.labels
    started, ended = _when(meta.get("started")), _when(meta.get("ended"))
    last = ended or _beat(meta.get("beat"))
    line = Summary(
        _as_text(run.name), run.status, meta.get("script"), _command(meta.get("command")), started, ended,
        seconds=(last - started).total_seconds() if started and last and last >= started else None,  # a clock may jump
        host=meta.get("host"), device=meta.get("device"), git_commit=meta.get("git_commit") or None,
        git_dirty={"1": True, "0": False}.get(meta.get("git_dirty", "")),
        attempt=_number(meta.get("attempt")), resumed_from=meta.get("resumed_from") or None,
        ranks=sum(process.rank is not None for process in run.processes),
        updates=max(one.updates for one in vitals), last_loss=vitals[0].last_loss,
        findings=sum(severity != "note" for severity, *_ in findings),
        errors=sum(severity == "error" for severity, *_ in findings),
        reason=meta.get("reason"), exit=_number(meta.get("exit")),
        name=labels.name or None, run_group=labels.group or None, tags=",".join(labels.tags) or None,
        notes=labels.notes or None, archived=labels.archived,
    )  # fmt: skip
    return line, lookup


def _look_up(lookups: Sequence[Lookup]) -> list[tuple[int, float]]:
    """The last values that are in segments only: of all runs at once."""
    if not lookups:
        return []
    from surefoot.runlog.read.segment import last_values

    found = last_values([(segment, series) for _, segment, series in lookups])
    return [(place, found[segment.file]) for place, segment, _ in lookups if segment.file in found]


def _as_text(name: str) -> str:
    """Names of files may hold bytes that are no UTF-8, which nothing can print."""
    return name.encode("utf-8", "backslashreplace").decode()


def _command(text: str | None) -> str | None:
    """As it could be typed again."""
    try:
        words = json.loads(text) if text else None
    except ValueError:
        return text
    return shlex.join(map(str, words)) if isinstance(words, list) else text


def _when(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None) if text else None
    except ValueError:
        return None


def _beat(text: str | None) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(text), UTC).replace(tzinfo=None) if text else None
    except (ValueError, OverflowError, OSError):
        return None


def _number(text: str | None) -> int | None:
    try:
        return int(text) if text else None
    except ValueError:
        return None
