"""The page of results, from one run. No figure on it is written by hand."""

from collections.abc import Iterable, Sequence

from benchmarks.conformance.cell import Cell, Column, Mark
from benchmarks.conformance.rows import ROWS, Row

_HEAD = """\
# Is the loop right?

Written by `make bench-conformance`. Training programs so small that the right answer is known to the digit: the loss
is the mean of <w, x> and micro-batch i holds unit vectors e_i, so that with SGD at rate 1 each coordinate of an update
*is* the weight that micro-batch got. Every cell ran in processes of its own, on torch {torch}; kills are real SIGKILLs,
ranks are two processes over gloo. The peers are driven as their documentation says (`benchmarks/conformance/loops/`),
and where they offer several ways, each is run.

*depends*: right in some of the ways to write it. A dash: the loop does not offer this. Both are told below the table.
[Further rows](#further-rows) were run on surefoot alone.
"""
_MARKS = {Mark.RIGHT: "**right**", Mark.WRONG: "**wrong**", Mark.DEPENDS: "*depends*", Mark.FAILED: "could not run"}


def page(columns: Sequence[Column], torch: str) -> str:
    parts = [_HEAD.format(torch=torch), *_table(columns), "", *_totals(columns), ""]
    for number, row in enumerate(ROWS):
        parts += [*_section(row, [(column.name, column.cells[number]) for column in columns]), ""]
    return "\n".join(parts)


def _table(columns: Sequence[Column]) -> Iterable[str]:
    yield "| case | right answer | " + " | ".join(f"{one.name} {one.version}" for one in columns) + " |"
    yield "|---|---|" + "---|" * len(columns)
    for number, row in enumerate(ROWS):
        cells = (_short(column.cells[number]) for column in columns)
        yield f"| {row.title} | {row.right} | " + " | ".join(cells) + " |"


def _short(cell: Cell) -> str:
    """A mark and numbers; of several ways to write it, those of the first wrong one."""
    if cell.mark is Mark.NOT_OFFERED:
        return "-"
    if cell.shown is None or cell.right is None:
        return _MARKS[cell.mark]
    way = next((way for way, is_right in cell.right.items() if not is_right), next(iter(cell.shown)))
    return _MARKS[cell.mark] + (f" {cell.shown[way]}" if cell.mark is not Mark.RIGHT else "")


def _totals(columns: Sequence[Column]) -> Iterable[str]:
    yield "| loop | rows | right | depends | wrong | not offered | could not run |"
    yield "|---|---|---|---|---|---|---|"
    for column in columns:
        marks = [cell.mark for cell in column.cells]
        counts = [marks.count(mark) for mark in (Mark.RIGHT, Mark.DEPENDS, Mark.WRONG, Mark.NOT_OFFERED, Mark.FAILED)]
        yield f"| {column.name} | {len(marks)} | " + " | ".join(map(str, counts)) + " |"


def _section(row: Row, cells: Sequence[tuple[str, Cell]]) -> Iterable[str]:
    yield f"## {row.title[0].upper()}{row.title[1:]}\n"
    yield f"Right: {row.right}.\n"
    for name, cell in cells:
        if cell.shown is None or cell.right is None:
            lead = "could not run: " if cell.mark is Mark.FAILED else "not offered: "
            yield f"- {name}: {lead}{cell.reason.splitlines()[-1] if cell.reason else ''}."
            continue
        for way, shown in cell.shown.items():
            yield f"- {name}{', ' + way if way else ''}: {'right' if cell.right[way] else 'wrong'}, {shown}."
