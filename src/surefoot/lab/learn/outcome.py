"""What the two programs of a rule did, gathered from their messages, and shown as text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from surefoot.lab.chart import Chart, Line, as_text
from surefoot.lab.chart.chart import short

WIDTH, HEIGHT = 56, 6
WIDE = 1000.0  # a loss that spans more is drawn by its logarithm
SILENT = (
    "These are a few steps of a toy: the wrong program may well have the lower loss. Most of what the rules find does "
    "not show in a curve."
)
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


@dataclass(slots=True)
class Course:
    """One of the two."""

    losses: dict[int, list[tuple[float, float]]] = field(default_factory=dict)  # by the number of their line
    weights: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    findings: list[dict[str, Any]] = field(default_factory=list)
    end: dict[str, Any] = field(default_factory=dict)

    def take(self, message: dict[str, Any]) -> None:
        for row in message.get("rows", ()):
            if row["kind"] == "loss":
                self.losses.setdefault(row["curve"], []).append((row["at"], _number(row["value"])))
            else:
                for name, value in row["values"].items():
                    self.weights.setdefault(name, []).append((row["step"], _number(value)))
        if message["kind"] == "finding":
            self.findings.append(message["finding"])
        elif message["kind"] == "end":
            self.end = message


@dataclass(slots=True)
class Outcome:
    courses: dict[str, Course] = field(default_factory=lambda: {"bad": Course(), "good": Course()})

    def take(self, message: dict[str, Any]) -> None:
        if "twin" in message:
            self.courses[message["twin"]].take(message)

    @property
    def has_failed(self) -> bool:
        return any(course.end.get("status", 1) for course in self.courses.values())

    def as_text(self) -> str:
        return "\n".join([*self._curves(), *self._weights(), *self._findings(), "", SILENT, ""])

    def _curves(self) -> Iterator[str]:
        """One below the other, over the same range."""
        lines = [
            (twin.capitalize() + (f", loss {number + 1}" if len(course.losses) > 1 else ""), points)
            for twin, course in self.courses.items()
            for number, points in sorted(course.losses.items())
        ]
        values = [y for _, points in lines for _, y in points if math.isfinite(y)]
        is_log = bool(values) and min(values) > 0 and max(values) / min(values) > WIDE
        for title, points in lines:
            drawn = [Line(title, points), *(Line(other, theirs, is_faint=True) for other, theirs in lines)]
            chart = Chart(title, "backward", "loss, by its logarithm" if is_log else "loss", drawn, is_log_y=is_log)
            yield as_text(chart, width=WIDTH, height=HEIGHT)
            yield from _not_finite(points)

    def _weights(self) -> Iterator[str]:
        """First and last values, of both where both have it."""
        bad, good = (course.weights for course in self.courses.values())
        names = list(dict.fromkeys([*bad, *good]))
        width = max(map(len, names), default=0)
        if names:
            yield f"{'weight':<{width}}  {'Bad':<24}  Good"
        for name in names:
            ways = [_way(side[name]) if name in side else "" for side in (bad, good)]
            yield f"{name:<{width}}  {ways[0]:<24}  {ways[1]}".rstrip()

    def _findings(self) -> Iterator[str]:
        for twin, course in self.courses.items():
            yield ""
            end = course.end
            if end.get("status", 1):
                yield f"{twin.capitalize()} did not run to its end: {end.get('reason', 'it did not begin')}."
                yield from (f"  {line}" for line in str(end.get("said", "")).splitlines())
            elif not course.findings:
                yield f"{twin.capitalize()}: {end['steps']} steps, nothing found."
            else:
                yield f"{twin.capitalize()}: {end['steps']} steps."
            for one in course.findings:
                times = f", {one['count']} times" if one["count"] > 1 else ""
                place = f" line {one['line']}" if one["line"] is not None else ""
                yield f"  {one['severity']}[{one['rule']}]{place}, first at step {one['step']}{times}: {one['message']}"
                yield f"    {one['fix']}"


def _not_finite(points: list[tuple[float, float]]) -> Iterator[str]:
    odd = [at for at, value in points if not math.isfinite(value)]
    if odd:
        yield f"           {len(odd)} of {len(points)} not finite, the first at backward {odd[0]:.0f}\n"


def _way(points: list[tuple[float, float]]) -> str:
    return f"{short(points[0][1])} to {short(points[-1][1])}"


def _number(value: float | str) -> float:
    return _NOT_FINITE[value] if isinstance(value, str) else value
