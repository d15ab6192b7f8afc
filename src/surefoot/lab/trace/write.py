"""Numbers, shapes and tables of a trace, as text."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence

from surefoot.facts import Site
from surefoot.lab.trace.stage import Glimpse, Item, Shape, Values
from surefoot.report.place import relative

WIDTH = 100
INDENT = 12  # of what stands below a stage
LONGEST_NAME = 30
GAP = 2
TO, TIMES = "\N{EN DASH}", "\N{MULTIPLICATION SIGN}"

Row = Sequence[str]


def number(value: float | None) -> str:
    if value is None:
        return "—"
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    return f"{value:.4g}"


def shape(size: Shape) -> str:
    return TIMES.join(map(str, size)) if size else "scalar"


def shapes(sizes: Sequence[Shape], most: int = 2) -> str:
    if not sizes:
        return "—"
    more = f" +{len(sizes) - most}" if len(sizes) > most else ""
    return ", ".join(shape(size) for size in sizes[:most]) + more


def duration(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{_short(seconds * 1e3)} ms" if seconds < 1 else f"{_short(seconds)} s"


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def memory(num_bytes: int) -> str:
    if num_bytes < 1000:
        return f"{num_bytes} B"
    for unit in ("kB", "MB"):
        num_bytes_ = num_bytes / 1000
        if num_bytes_ < 1000:
            return f"{num_bytes_:.1f} {unit}"
        num_bytes = int(num_bytes_)
    return f"{num_bytes / 1000:.1f} GB"


def values(some: Values, size: Shape) -> str:
    more = ", …" if math.prod(size) > len(some) else ""
    return ", ".join(map(number, some)) + more


def percent(part: float, whole: float | None) -> str:
    if not whole:
        return "—"
    return f"{100 * part / whole:.3g}%"


def plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def listed(ordinals: Sequence[int]) -> str:
    """Numbers, with stretches of them put together."""
    parts: list[str] = []
    start = 0
    for i in range(1, len(ordinals) + 1):
        if i == len(ordinals) or ordinals[i] != ordinals[i - 1] + 1:
            first, last = ordinals[start], ordinals[i - 1]
            parts.append(str(first) if first == last else f"{first}{TO if last > first + 1 else ', '}{last}")
            start = i
    return ", ".join(parts)


def place(site: Site | None, folder: str) -> str:
    if site is None:
        return ""
    file = relative(site.file, folder) or site.file.replace("\\", "/").rpartition("/")[2]
    return f"{shortened(file)}:{site.line}"


def shortened(name: str, most: int = LONGEST_NAME) -> str:
    """The end of a name tells more than its start."""
    return name if len(name) <= most else "…" + name[-(most - 1) :]


def item(part: Item, whole: str) -> Row:
    """`whole` is its name if it is no part of something."""
    name = shortened(part.name or whole)
    if part.tensor is None:
        return (name, part.kind, "", "", "", "", "")
    seen = part.tensor
    bad = f"{seen.num_bad} not finite" if seen.num_bad else ""
    return (
        name, shape(seen.shape), seen.dtype, _range(seen), number(seen.mean), number(seen.spread),
        bad or values(seen.values, seen.shape),
    )  # fmt: skip


ITEM_HEADERS = ("part", "shape", "type", "range", "mean", "spread", "values")


def _range(seen: Glimpse) -> str:
    return "" if seen.lowest is None else f"{number(seen.lowest)} … {number(seen.highest)}"


def table(headers: Row, rows: Sequence[Row], right: Sequence[str] = ()) -> list[str]:
    """Aligned, cut at the width of a line. `right` are the columns of numbers."""
    widths = [max(len(line[i]) for line in (headers, *rows)) for i in range(len(headers))]
    message = []
    for line in (headers, *rows):
        cells = [
            text.rjust(width) if header in right else text.ljust(width)
            for text, width, header in zip(line, widths, headers, strict=True)
        ]
        message.append(cut(" " * INDENT + (" " * GAP).join(cells)))
    return message


def wrapped(line: str) -> list[str]:
    """On as many lines as it takes, below each other."""
    below = " " * INDENT
    return textwrap.wrap(line, WIDTH, subsequent_indent=below, break_long_words=True, break_on_hyphens=False) or [""]


def cut(line: str) -> str:
    line = line.rstrip()
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"


def some(rows: Sequence[Row], *, full: bool, most: int = 12) -> tuple[list[Row], int]:
    """The first and the last of many, and how many are left out between them."""
    if full or len(rows) <= most:
        return list(rows), 0
    half = most // 2
    return [*rows[:half], ("…", *[""] * (len(rows[0]) - 1)), *rows[-half:]], len(rows) - 2 * half
