"""A chart for a terminal: dots of Braille, two by four to a character; stars where the terminal has none."""

from __future__ import annotations

import sys
from typing import IO

from surefoot.lab.chart.chart import Chart, Scale, short, strokes

WIDTH, HEIGHT = 64, 12  # characters of the paper
MARGIN = 10  # for the numbers beside it
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # by row and column of a Braille character
_BRAILLE = 0x2800


def as_text(chart: Chart, *, width: int = WIDTH, height: int = HEIGHT, plain: bool | None = None) -> str:
    """`plain`: in ASCII only; left out, as stdout can take it."""
    plain = not can_show_braille(sys.stdout) if plain is None else plain
    x, y = chart.scales()
    paper = _Paper(width, height)
    for line in chart.lines:
        if not line.is_faint:
            for stroke in strokes(line, x, y, 2 * width):
                paper.draw(stroke)
    numbers = {0: short(y.high), height // 2: short(y.value(1 - (height // 2) / max(height - 1, 1)))}
    numbers[height - 1] = short(y.low)
    side = "|" if plain else "│"
    rows = [f"{chart.title}  ({chart.y_label} by {chart.x_label})"]
    rows += [f"{numbers.get(row, ''):>{MARGIN}} {side}{paper.row(row, plain)}".rstrip() for row in range(height)]
    rows.append(f"{'':>{MARGIN}} " + ("+" + "-" * width if plain else "└" + "─" * width))
    rows += _under(chart, x, width)
    return "\n".join(rows) + "\n"


def can_show_braille(stream: IO[str]) -> bool:
    try:
        "⣿│".encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _under(chart: Chart, x: Scale, width: int) -> list[str]:
    """The letters of the marks, the numbers of the axis, and what the letters mean."""
    letters = [" "] * (width + 1)
    message = []
    for letter, mark in zip("abcdefghijklmnopqrstuvwxyz", chart.marks, strict=False):
        share = x.at(mark.x)
        if share is None:
            continue
        column = round(share * (width - 1))
        if letters[column] == " ":
            letters[column] = letter
        message.append(f"{'':>{MARGIN}} {letter}  {mark.label}")
    lead = " " * (MARGIN + 2)
    left, middle, right = short(x.low), short(x.value(0.5)), short(x.high)
    axis = left + middle.center(width - len(left) - len(right)) + right
    marked = [(lead + "".join(letters)).rstrip()] if message else []
    return [*marked, lead + axis, *message]


class _Paper:
    def __init__(self, width: int, height: int) -> None:
        self._width, self._height = width, height
        self._columns, self._rows = 2 * width, 4 * height
        self._cells = [[0] * width for _ in range(height)]

    def draw(self, stroke: list[tuple[float, float]]) -> None:
        """Each dot's column is filled between two neighbouring points, so that steep parts stay connected."""
        before: tuple[int, int] | None = None
        for share_x, share_y in stroke:
            now = round(share_x * (self._columns - 1)), round((1 - share_y) * (self._rows - 1))
            self._connect(before or now, now)
            before = now

    def _connect(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1)
        for step in range(steps + 1):
            column = round(start[0] + (end[0] - start[0]) * step / steps)
            row = round(start[1] + (end[1] - start[1]) * step / steps)
            if 0 <= column < self._columns and 0 <= row < self._rows:
                self._cells[row // 4][column // 2] |= _DOTS[row % 4][column % 2]

    def row(self, row: int, plain: bool) -> str:
        return "".join(" " if not cell else "*" if plain else chr(_BRAILLE + cell) for cell in self._cells[row])
