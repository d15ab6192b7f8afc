"""One series in memory: short ones whole, long ones as cells of some rows each, which make up any chart of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefoot.runlog.read.column import Column, join

CELL = 64  # rows
WHOLE_ROWS = 2**15  # up to which a series is kept as it is
FINE = 2  # cells that a bucket must hold at least: its edges are moved to those of cells
MOST_ODD = 10_000  # values that are not finite, of which the places are kept
MOST_MARKS = 200  # of these are sent

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cells:
    """Equally long columns, by step. A row of a series is a cell, too."""

    first_steps: Ints
    steps: Ints  # the last of each
    times: Floats
    lows: Floats  # of finite values; NaN if there is none
    highs: Floats
    lasts: Floats
    counts: Ints
    odd: Ints  # how many are not finite

    def __len__(self) -> int:
        return len(self.steps)

    def part(self, start: int, end: int) -> Cells:
        return Cells(*(getattr(self, name)[start:end] for name in self.__slots__))

    def then(self, other: Cells) -> Cells:
        return Cells(*(np.concatenate([getattr(self, name), getattr(other, name)]) for name in self.__slots__))

    def merged(self, starts: NDArray[np.intp]) -> Cells:
        """Fewer cells, that begin at these places."""
        ends = np.append(starts[1:], len(self)) - 1
        lows = np.fmin.reduceat(self.lows, starts)
        highs = np.fmax.reduceat(self.highs, starts)
        counts, odd = np.add.reduceat(self.counts, starts), np.add.reduceat(self.odd, starts)
        return Cells(
            self.first_steps[starts], self.steps[ends], self.times[ends], lows, highs, self.lasts[ends], counts, odd
        )

    @property
    def num_bytes(self) -> int:
        return sum(getattr(self, name).nbytes for name in self.__slots__)


def cells_of(column: Column) -> Cells:
    """A cell a row."""
    values = column.values
    finite = np.isfinite(values)
    shown = values if finite.all() else np.where(finite, values, np.nan)
    ones = np.ones(len(values), np.int64)
    return Cells(column.steps, column.steps, column.times, shown, shown, values, ones, (~finite).astype(np.int64))


@dataclass(frozen=True, slots=True)
class Odd:
    """Values that are not finite: where the first of them are, and how many there are in all."""

    steps: Ints
    values: Floats
    num: int = 0

    def within(self, first: int, last: int) -> list[dict[str, float]]:
        """At most so many as a chart can show, spread evenly."""
        found = np.flatnonzero((self.steps >= first) & (self.steps <= last))
        if len(found) > MOST_MARKS:
            found = found[np.linspace(0, len(found) - 1, MOST_MARKS).astype(int)]
        pairs = zip(self.steps[found].tolist(), self.values[found].tolist(), strict=True)
        return [{"step": step, "value": value} for step, value in pairs]


def odd_of(column: Column) -> Odd:
    found = np.flatnonzero(~np.isfinite(column.values))
    return Odd(column.steps[found[:MOST_ODD]], column.values[found[:MOST_ODD]], len(found))


def _joined(one: Odd, two: Odd) -> Odd:
    room = MOST_ODD - len(one.steps)
    steps, values = (np.concatenate([a, b[:room]]) for a, b in ((one.steps, two.steps), (one.values, two.values)))
    return Odd(steps, values, one.num + two.num)


@dataclass(slots=True)
class Track:
    """What was read up to a chunk of the log. `rows` is all of it, or of a long series the last ones."""

    chunk: int = 0
    rows: Column = field(default_factory=lambda: join([]))
    folded: Cells | None = None  # what came before the rows, of a long series
    odd: Odd = field(default_factory=lambda: odd_of(join([])))

    def __len__(self) -> int:
        return len(self.rows) + (0 if self.folded is None else int(self.folded.counts.sum()))

    @property
    def first_step(self) -> int | None:
        if self.folded is not None:
            return int(self.folded.first_steps[0])
        return int(self.rows.steps[0]) if len(self.rows) else None

    @property
    def last_step(self) -> int | None:
        if len(self.rows):
            return int(self.rows.steps[-1])
        return int(self.folded.steps[-1]) if self.folded is not None else None

    def takes(self, steps: Ints) -> bool:
        """Only what comes after: else it is read again."""
        last = self.last_step
        return not len(steps) or last is None or int(steps[0]) >= last

    def extend_folded(self, more: Cells, odd: Odd) -> None:
        """By what was made into cells elsewhere."""
        if len(more):
            self._fold()
            if len(self.rows):
                rest = cells_of(self.rows).merged(np.zeros(1, np.intp))
                self.folded = rest if self.folded is None else self.folded.then(rest)
                self.rows = join([])
            self.odd = _joined(self.odd, odd)
            self.folded = more if self.folded is None else self.folded.then(more)

    def extend(self, more: Column) -> None:
        if len(more):
            self.odd = _joined(self.odd, odd_of(more))
            self.rows = join([self.rows, more])
            if len(self.rows) > WHOLE_ROWS or self.folded is not None:
                self._fold()

    def cells(self, first: int, last: int, num: int) -> Cells | None:
        """At most so many buckets of these steps; None if the rows themselves must be read for it."""
        rows = cells_of(self.rows)
        if self.folded is None:
            return bucketed(rows, first, last, num)
        within = _within(self.folded, first, last)
        if len(within) and len(within) + len(_within(rows, first, last)) // CELL < FINE * num:
            return None
        return bucketed(within.then(rows), first, last, num)

    @property
    def num_bytes(self) -> int:
        folded = 0 if self.folded is None else self.folded.num_bytes
        return folded + 24 * len(self.rows) + self.odd.steps.nbytes + self.odd.values.nbytes

    def _fold(self) -> None:
        """Rows into cells; those that do not fill one stay."""
        num = len(self.rows) // CELL * CELL
        if num:
            rows = self.rows
            new = cells_of(Column(rows.steps[:num], rows.times[:num], rows.values[:num]))
            new = new.merged(np.arange(0, num, CELL))
            self.folded = new if self.folded is None else self.folded.then(new)
            self.rows = Column(rows.steps[num:].copy(), rows.times[num:].copy(), rows.values[num:].copy())


def bucketed(cells: Cells, first: int, last: int, num: int) -> Cells:
    """Equally wide ranges of steps, those without a value left out; each cell as it is where there are few."""
    cells = _within(cells, first, last)
    if len(cells) <= num:
        return cells
    low, high = max(first, int(cells.first_steps[0])), min(last, int(cells.steps[-1]))
    width = max(1, -(-(high - low + 1) // num))
    edges = low + width * np.arange(num, dtype=np.int64)
    starts = np.unique(np.searchsorted(cells.first_steps, edges[edges <= cells.first_steps[-1]], "left"))
    return cells.merged(starts)


def _within(cells: Cells, first: int, last: int) -> Cells:
    start = int(np.searchsorted(cells.steps, first, "left"))
    end = int(np.searchsorted(cells.first_steps, last, "right"))
    return cells.part(start, end)
