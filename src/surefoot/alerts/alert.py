"""What an alert says, and how it looks as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from surefoot.facts.json_text import json_value
from surefoot.rules import Level

# As apprise calls them: receivers made for its JSON read ours.
TYPES = {"error": "failure", "warning": "warning", "note": "info"}


class Found(Protocol):
    """What alerts say of a finding."""

    rule: str
    severity: Level
    message: str
    fix: str
    file: str | None
    line: int | None
    step: int


@dataclass(frozen=True, slots=True)
class About:
    """The run that alerts are from."""

    run: str = ""
    script: str = ""
    host: str = ""


@dataclass(frozen=True, slots=True)
class Alert:
    """`cause`: one that was sent is not sent again for a while."""

    cause: str
    level: Level
    title: str
    message: str
    step: int
    time: float
    details: Mapping[str, Any] = field(default_factory=dict)

    def payload(self, about: About, num_held: int = 0) -> dict[str, Any]:
        """Plain values for JSON."""
        held = f"\n{num_held} more were held back since the last one." if num_held else ""
        where = about.script or about.run
        return {
            "version": "1.0",
            "title": f"surefoot: {self.title}" + f" in {where}" * bool(where),
            "message": f"{self.message}{held}",
            "type": TYPES[self.level],
            "surefoot": {
                "run": about.run, "script": about.script, "host": about.host, "level": self.level, "step": self.step,
                "time": self.time, "held_back": num_held,
                **{name: json_value(value) for name, value in self.details.items()},
            },
        }  # fmt: skip


def of_finding(found: Found, time: float) -> Alert:
    place = f"{found.file}:{found.line}" if found.file else ""
    return Alert(
        f"{found.severity}[{found.rule}]" + f" at {place}" * bool(place),
        found.severity,
        f"{found.severity}[{found.rule}]",
        f"{found.message}\n" + f"at {place}, step {found.step}"[0 if place else 4 :] + f"\nfix: {found.fix}",
        found.step,
        time,
        {"rule": found.rule, "file": found.file, "line": found.line},
    )


def of_expression(text: str, values: Mapping[str, float | None], step: int, time: float) -> Alert:
    shown = ", ".join(f"{name} {value:.6g}" for name, value in values.items() if value is not None)
    message = f"{text}\nat step {step}" + f": {shown}" * bool(shown)
    return Alert(text, "warning", text, message, step, time, {"expression": text, "values": dict(values)})
