"""CSV files of scalars: a row a value (step, name, value), or a row a step with a column for each series."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from surefoot.runlog.exchange.source import Point, SourceError

STEPS = ("step", "global_step", "iteration", "iter", "update", "epoch", "_step")
TIMES = ("time", "wall_time", "timestamp", "wall time", "_timestamp")
IGNORED = ("", "run", "rank")


def read_table(file: Path, say: Callable[[str], None], step: str | None = None) -> Iterator[Point]:
    """Empty cells are left out; a cell that should be a number and is none is an error, with its line."""
    with file.open(newline="", encoding="utf-8-sig", errors="replace") as stream:
        rows = csv.reader(stream)
        header = [name.strip() for name in next(rows, [])]
        yield from read_rows(file, header, ((f"line {rows.line_num}", row) for row in rows), say, step)


def read_rows(
    file: Path, header: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]],
    say: Callable[[str], None], step: str | None,
) -> Iterator[Point]:  # fmt: skip
    """Each row with its place in the file."""
    if len(header) < 2:
        raise SourceError(f"{file} is no table of scalars: its first line must name at least two columns.")
    step_at = _place(file, header, (step,) if step else STEPS, needed=True)
    time_at = _place(file, header, TIMES)
    is_long = {"name", "value"} <= {name.lower() for name in header}
    for place, row in rows:
        if len(row) < len(header) and any(row):
            say(f"{file}, {place}: it has {len(row)} of {len(header)} columns and is left out.")
            continue
        if any(row):
            where = f"{file}, {place}"
            at = int(_number(row[step_at], where, header[step_at]))
            time = _time(row[time_at], where) if time_at >= 0 else 0.0
            yield from _points(header, row, (step_at, time_at), at, time, where, is_long=is_long)


def _points(
    header: Sequence[str],
    row: Sequence[str],
    taken: Sequence[int],
    step: int,
    time: float,
    where: str,
    *,
    is_long: bool,
) -> Iterator[Point]:
    if is_long:
        cells = dict(zip((name.lower() for name in header), row, strict=False))
        rank = cells.get("rank", "0") or "0"
        name = cells["name"] if rank == "0" else f"rank-{rank}/{cells['name']}"
        if cells["value"].strip():
            yield Point(name, step, time, _number(cells["value"], where, "value"))
        return
    for i, (name, text) in enumerate(zip(header, row, strict=False)):
        if i not in taken and name.lower() not in IGNORED and text.strip():
            yield Point(name, step, time, _number(text, where, name))


def _place(file: Path, header: Sequence[str], names: Sequence[str], *, needed: bool = False) -> int:
    lower = [name.lower() for name in header]
    for name in names:
        if name.lower() in lower:
            return lower.index(name.lower())
    if needed:
        raise SourceError(
            f"{file} must have a column {names[0]!r}, it has: {', '.join(header)}. --step names the column of steps."
        )
    return -1


def _number(text: str, where: str, column: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise SourceError(f"{where}: {column!r} must be a number, got {text!r}.") from None
    if column.lower() in STEPS and not math.isfinite(number):
        raise SourceError(f"{where}: {column!r} must be a whole number, got {text!r}.")
    return number


def _time(text: str, where: str) -> float:
    """Unix seconds, or a date as ISO writes it."""
    try:
        return float(text) if text.strip() else 0.0
    except ValueError:
        try:
            return datetime.fromisoformat(text.strip()).timestamp()
        except ValueError:
            raise SourceError(f"{where}: a time must be in seconds or an ISO date, got {text!r}.") from None
