"""One cell of the table: what one training loop did in one row."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib import import_module, metadata
from typing import Any

from benchmarks.conformance.call import LIMIT_SECONDS, Answer, call, call_apart
from benchmarks.conformance.rows import Row

LOOPS = ("surefoot", "lightning", "accelerate", "hf_trainer", "ignite", "keras", "fastai", "torchtnt")
PACKAGE = "benchmarks.conformance.loops"


class Mark(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    DEPENDS = "depends"  # right in some of the ways to write it
    NOT_OFFERED = "not offered"
    FAILED = "failed"  # nothing was measured


@dataclass(frozen=True, slots=True)
class Cell:
    loop: str
    row: str
    mark: Mark
    reason: str = ""  # why nothing was measured
    values: Mapping[str, Any] | None = None  # by the way it was written
    shown: Mapping[str, str] | None = None
    right: Mapping[str, bool] | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """What one loop did in all rows."""

    loop: str
    name: str
    version: str
    cells: list[Cell]


def fill(loop: str, rows: Sequence[Row]) -> Column:
    """Run one loop's cells, each in a process of its own."""
    names = [row.name for row in rows]
    answer = call("benchmarks.conformance.cell", "measure_all", loop, names, limit=LIMIT_SECONDS * len(rows))
    if answer.status != 0:
        reason = answer.output.strip()[-800:] or "took too long"
        return Column(loop, loop, "", [Cell(loop, name, Mark.FAILED, reason) for name in names])
    cells = [_judge(loop, row, Answer(**given)) for row, given in zip(rows, answer.value["answers"], strict=True)]
    return Column(loop, answer.value["name"], answer.value["version"], cells)


def _judge(loop: str, row: Row, answer: Answer) -> Cell:
    if answer.status is None:
        return Cell(loop, row.name, Mark.FAILED, "took too long")
    if answer.status != 0:
        return Cell(loop, row.name, Mark.FAILED, answer.output.strip()[-800:])
    if isinstance(answer.value, str):
        return Cell(loop, row.name, Mark.NOT_OFFERED, answer.value)
    right = {way: row.is_right(value) for way, value in answer.value.items()}
    mark = Mark.RIGHT if all(right.values()) else Mark.DEPENDS if any(right.values()) else Mark.WRONG
    shown = {way: row.show(value) for way, value in answer.value.items()}
    return Cell(loop, row.name, mark, values=answer.value, shown=shown, right=right)


def measure_all(loop: str, rows: Sequence[str]) -> dict[str, Any]:
    """In a process that has imported the loop and does nothing but start others."""
    module = import_module(f"{PACKAGE}.{loop}")
    answers = [asdict(call_apart("benchmarks.conformance.cell", "measure", loop, row)) for row in rows]
    version = module.VERSION if module.PACKAGE is None else metadata.version(module.PACKAGE)
    return {"name": module.NAME, "version": version, "answers": answers}


def measure(loop: str, row: str) -> Any:
    """In the cell's own process: measurements by the way they were written, or why there are none."""
    module = import_module(f"{PACKAGE}.{loop}")
    return module.NOT_OFFERED[row] if row in module.NOT_OFFERED else getattr(module, row)()
