"""Tables for people: plain and aligned in a pipe, styled on a terminal."""

import math
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import IO, Any

_UNITS = ("B", "kB", "MB", "GB", "TB")
_COLOURS = {"running": "cyan", "crashed": "red", "failed": "red", "unreadable": "red", "error": "red"}


def print_table(headers: Sequence[str], rows: Sequence[Sequence[Any]], stream: IO[str] | None = None) -> None:
    """Numbers are right-aligned, texts left-aligned."""
    right = _numbers(headers, rows)
    lines = [[cell(value) for value in row] for row in rows]
    stream = stream or sys.stdout
    if stream.isatty():
        _print_set(headers, lines, right, stream)
        return
    _print_plain([headers, *lines], _widths(headers, lines), right, stream)


def _numbers(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[bool]:
    return [any(_is_number(row[i]) for row in rows) for i in range(len(headers))]


def _widths(headers: Sequence[str], lines: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(header), *(len(line[i]) for line in lines), 0) for i, header in enumerate(headers)]


def _print_plain(lines: Iterable[Sequence[str]], widths: list[int], right: list[bool], stream: IO[str]) -> None:
    for line in lines:
        cells = [
            text.rjust(width) if is_right else text.ljust(width)
            for text, width, is_right in zip(line, widths, right, strict=True)
        ]
        print("  ".join(cells).rstrip(), file=stream)


def print_tables(headers: Sequence[str], batches: Iterable[Sequence[Sequence[Any]]], stream: IO[str]) -> None:
    """Does not wait for all rows: columns are as wide as the first rows need."""
    rest = iter(batches)
    first = next(rest, [])
    print_table(headers, first, stream)
    lines = [[cell(value) for value in row] for row in first]
    widths, right = _widths(headers, lines), _numbers(headers, first)
    for batch in rest:
        _print_plain([[cell(value) for value in row] for row in batch], widths, right, stream)


def cell(value: Any) -> str:
    """One line, and no control characters: names may hold anything."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds")
    text = str(value)
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def number(value: float | None) -> str:
    if value is None:
        return ""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.6g}"


def size(num_bytes: float) -> str:
    for unit in _UNITS[:-1]:
        if num_bytes < 1000:
            return f"{num_bytes:.0f} {unit}" if unit == "B" else f"{num_bytes:.1f} {unit}"
        num_bytes /= 1000
    return f"{num_bytes:.1f} {_UNITS[-1]}"


def duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, hours = seconds / 60, seconds / 3600
    return f"{minutes:.1f} min" if minutes < 60 else f"{hours:.1f} h" if hours < 48 else f"{hours / 24:.1f} days"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _print_set(headers: Sequence[str], lines: list[list[str]], right: list[bool], stream: IO[str]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for header, is_right in zip(headers, right, strict=True):
        table.add_column(header, justify="right" if is_right else "left", overflow="fold")
    for line in lines:
        table.add_row(*(Text(text, style=_COLOURS.get(text, "")) for text in line))
    Console(file=stream, highlight=False).print(table)
