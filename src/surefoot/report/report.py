"""The result of one run, and of several processes of one run together."""

import dataclasses
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from surefoot.facts import ReplicaFacts
from surefoot.facts.json_text import json_text, json_value
from surefoot.judge import Finding
from surefoot.rules import LEVELS, Level
from surefoot.version import __version__


@dataclass(frozen=True, slots=True)
class Process:
    """A Python process that the program started. `is_complete`: it came to its end and told all that it found."""

    name: str
    steps: int = 0
    rank: int | None = None
    is_complete: bool = True


@dataclass(slots=True, repr=False)
class Report:
    """What a run found, and which rules could not be checked. `print` shows it as text."""

    script: str
    steps: int = 0
    findings: list[Finding] = field(default_factory=list)
    not_checked: dict[str, str] = field(default_factory=dict)  # rule → why
    num_rules: int = 0  # asked, those not checked included
    notes: list[ReplicaFacts] = field(default_factory=list)  # of this rank, or of all that were joined
    processes: list[Process] = field(default_factory=list)  # that were started, and are part of this report
    not_followed: dict[str, str] = field(default_factory=dict)  # command of a process that is no part of it → why
    not_watched: dict[str, int] = field(default_factory=dict)  # steps, by whose they are and why

    def reaches(self, level: Level) -> bool:
        """Whether a finding is at least that severe."""
        return any(LEVELS.index(finding.severity) >= LEVELS.index(level) for finding in self.findings)

    def without_notes(self) -> "Report":
        """The same report with warnings and errors only."""
        return dataclasses.replace(self, findings=[f for f in self.findings if f.severity != "note"])

    @property
    def worst_first(self) -> list[Finding]:
        """The gravest first; a cause right before what follows from it, even if that is graver."""
        ranked = sorted(self.findings, key=lambda f: (-LEVELS.index(f.severity), f.step))
        causes = {id(f): _cause(f, ranked) for f in ranked}
        ordered: dict[int, Finding] = {}
        for finding in ranked:
            first = causes[id(finding)]
            for one in (first, *(f for f in ranked if causes[id(f)] is first)):
                ordered.setdefault(id(one), one)
        return list(ordered.values())

    def as_dict(self) -> dict[str, Any]:
        """The report format: plain values that every JSON reader takes.

        The last three, and `follows` of a finding, only if there is something.
        """
        plain = {
            "surefoot": __version__,
            "script": self.script,
            "steps": self.steps,
            "findings": [_plain_finding(finding) for finding in self.worst_first],
            "not_checked": [{"rule": rule, "why": why} for rule, why in self.not_checked.items()],
        }
        if self.processes:
            plain["processes"] = [dataclasses.asdict(process) for process in self.processes]
        if self.not_followed:
            plain["not_followed"] = [{"command": name, "why": why} for name, why in self.not_followed.items()]
        if self.not_watched:
            plain["not_watched"] = [{"what": what, "steps": steps} for what, steps in self.not_watched.items()]
        return plain

    def __str__(self) -> str:
        from surefoot.report.text import as_text

        return as_text(self, io.StringIO())

    def __repr__(self) -> str:
        from surefoot.report.text import summary

        return f"<Report: {summary(self).removeprefix('surefoot: ')}>"

    def _repr_html_(self) -> str:
        from surefoot.report.html import report_as_html

        return report_as_html(self)

    def as_json(self) -> str:
        """`as_dict` as a JSON document."""
        return json_text(self.as_dict(), indent=2) + "\n"


def merge(reports: Iterable[Report]) -> Report:
    """One report of the ranks of a run. Equal findings are one, with their counts added.

    Ranks step together, so the number of steps is that of the process with the most.
    """
    several = list(reports)
    merged = _join(several)
    merged.steps = max(report.steps for report in several)
    merged.notes = [note for report in several for note in report.notes]
    return merged


def add_up(reports: Iterable[Report]) -> Report:
    """One report of processes that train each for itself: like `merge`, and their steps are added, too."""
    several = list(reports)
    added = _join(several)
    added.steps = sum(report.steps for report in several)
    return added


def _join(reports: list[Report]) -> Report:
    first, *others = reports
    found = {f.place: dataclasses.replace(f) for f in first.findings}
    joined = dataclasses.replace(
        first,
        not_checked=dict(first.not_checked),
        not_watched=dict(first.not_watched),
        processes=[process for report in reports for process in report.processes],
        not_followed={command: why for report in reports for command, why in report.not_followed.items()},
    )
    for other in others:
        joined.num_rules = max(joined.num_rules, other.num_rules)
        joined.not_checked.update(other.not_checked)
        for what, steps in other.not_watched.items():
            joined.not_watched[what] = joined.not_watched.get(what, 0) + steps
        for finding in other.findings:
            known = found.setdefault(finding.place, dataclasses.replace(finding, count=0))
            known.count += finding.count
            known.step = min(known.step, finding.step)
    joined.findings = list(found.values())
    return joined


def _cause(finding: Finding, findings: list[Finding]) -> Finding:
    """The finding from which it follows in the end: itself, as a rule."""
    seen = {finding.place}
    while finding.follows is not None:
        cause = next((f for f in findings if f.place == finding.follows), None)
        if cause is None or cause.place in seen:
            break
        seen.add(cause.place)
        finding = cause
    return finding


def _plain_finding(finding: Finding) -> dict[str, Any]:
    plain: dict[str, Any] = json_value(finding)
    cause = plain.pop("follows")
    return plain if cause is None else plain | {"follows": dict(zip(("rule", "file", "line"), cause, strict=True))}
