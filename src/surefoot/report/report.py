"""The result of one run, and of several processes of one run together."""

import dataclasses
import io
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from surefoot.facts import ReplicaFacts
from surefoot.judge import Finding
from surefoot.rules import LEVELS, Level
from surefoot.version import __version__


@dataclass(slots=True)
class Report:
    script: str
    steps: int = 0
    findings: list[Finding] = field(default_factory=list)
    not_checked: dict[str, str] = field(default_factory=dict)  # rule → why
    num_rules: int = 0  # asked, those not checked included
    notes: list[ReplicaFacts] = field(default_factory=list)  # of this rank, or of all that were joined

    def reaches(self, level: Level) -> bool:
        """Whether a finding is at least that severe."""
        return any(LEVELS.index(finding.severity) >= LEVELS.index(level) for finding in self.findings)

    def without_notes(self) -> "Report":
        return dataclasses.replace(self, findings=[f for f in self.findings if f.severity != "note"])

    @property
    def worst_first(self) -> list[Finding]:
        return sorted(self.findings, key=lambda f: (-LEVELS.index(f.severity), f.step))

    def as_dict(self) -> dict[str, Any]:
        """The report format: plain values that every JSON reader takes."""
        return {
            "surefoot": __version__,
            "script": self.script,
            "steps": self.steps,
            "findings": [_plain(dataclasses.asdict(finding)) for finding in self.worst_first],
            "not_checked": [{"rule": rule, "why": why} for rule, why in self.not_checked.items()],
        }

    def __str__(self) -> str:
        from surefoot.report.text import as_text

        return as_text(self, io.StringIO())

    def as_json(self) -> str:
        return json.dumps(self.as_dict(), indent=2, allow_nan=False) + "\n"


def merge(reports: Iterable[Report]) -> Report:
    """One report of several processes. Equal findings are one, with their counts added.

    Ranks step together, so the number of steps is that of the process with the most.
    """
    first, *others = reports
    found = {_place(f): dataclasses.replace(f) for f in first.findings}
    merged = dataclasses.replace(first, not_checked=dict(first.not_checked))
    for other in others:
        merged.steps = max(merged.steps, other.steps)
        merged.num_rules = max(merged.num_rules, other.num_rules)
        merged.not_checked.update(other.not_checked)
        merged.notes = [*merged.notes, *other.notes]
        for finding in other.findings:
            known = found.setdefault(_place(finding), dataclasses.replace(finding, count=0))
            known.count += finding.count
            known.step = min(known.step, finding.step)
    merged.findings = list(found.values())
    return merged


def _place(finding: Finding) -> tuple[str, str | None, int | None]:
    return (finding.rule, finding.file, finding.line)


def _plain(value: Any) -> Any:
    """JSON has no word for NaN and infinity, and no tuples."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)
