"""What is drawn, and where on the paper it goes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    points: Sequence[Point]
    is_faint: bool = False  # stands behind another one


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on the horizontal axis."""

    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to shares of the paper's width or height."""

    low: float
    high: float
    is_log: bool = False

    @classmethod
    def over(cls, values: Sequence[float], is_log: bool) -> Scale:
        fit = [value for value in values if math.isfinite(value) and (value > 0 or not is_log)]
        low, high = min(fit, default=1.0), max(fit, default=1.0)
        if low == high:  # a flat line runs through the middle
            low, high = (low / 2, high * 2) if is_log else (low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2)
        return cls(low, high, is_log)

    def at(self, value: float) -> float | None:
        """Between 0 and 1; None for what has no place on it."""
        if not math.isfinite(value) or (self.is_log and value <= 0):
            return None
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def value(self, share: float) -> float:
        if self.is_log:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + share * (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Chart:
    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    marks: Sequence[Mark] = ()
    is_log_x: bool = False
    is_log_y: bool = False

    def scales(self) -> tuple[Scale, Scale]:
        xs = [x for line in self.lines for x, _ in line.points] + [mark.x for mark in self.marks]
        ys = [y for line in self.lines for _, y in line.points]
        return Scale.over(xs, self.is_log_x), Scale.over(ys, self.is_log_y)


def strokes(line: Line, x: Scale, y: Scale, columns: int) -> Iterator[list[Point]]:
    """The line's connected parts as shares of the paper, with no more points than `columns` can show.

    Of each column the first, lowest, highest and last points stay, so that no peak is lost.
    """
    part: list[Point] = []
    for value_x, value_y in line.points:
        place = x.at(value_x), y.at(value_y)
        if place[0] is None or place[1] is None:
            if part:
                yield _thinned(part, columns)
            part = []
        else:
            part.append((place[0], place[1]))
    if part:
        yield _thinned(part, columns)


def _thinned(points: list[Point], columns: int) -> list[Point]:
    if len(points) <= 2 * columns:
        return points
    by_column: dict[int, list[int]] = {}
    for index, (share, _) in enumerate(points):
        by_column.setdefault(int(share * columns), []).append(index)
    kept: set[int] = set()
    for indices in by_column.values():
        kept |= {indices[0], indices[-1]}
        kept |= {min(indices, key=lambda i: points[i][1]), max(indices, key=lambda i: points[i][1])}
    return [points[index] for index in sorted(kept)]


def short(value: float) -> str:
    """A number as labels show it."""
    if 1000 <= abs(value) < 1e7:
        return f"{value:.0f}"
    return f"{value:.3g}"
