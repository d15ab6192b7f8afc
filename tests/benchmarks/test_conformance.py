"""The logic of the conformance table: right answers are taken for right, near ones for wrong, no cell is left out."""

import ast
from pathlib import Path
from typing import Any

import pytest
from benchmarks.conformance.cell import LOOPS, Cell, Column, Mark
from benchmarks.conformance.page import page
from benchmarks.conformance.rows import RAGGED, ROWS, TAIL

BY_NAME = {row.name: row for row in ROWS}
FOLDER = Path(__file__).parents[2] / "benchmarks" / "conformance" / "loops"
EQUAL = {"equal": True, "gap": 0.0, "weights": [], "repeated": 0, "never_seen": 0}
NAN = {"finite": True, "raised": "", "said": ""}


@pytest.mark.parametrize(
    ("row", "right", "wrong"),
    [
        ("ragged", RAGGED, [[0.25] * 4]),
        ("tail", TAIL, [update if update[8] == 0 else [0.0] * 8 + [0.25] * 2 for update in TAIL]),
        ("tail", TAIL, TAIL[:2] * 2),
        ("ranks", RAGGED, []),
        ("resume", {**EQUAL, "num_run": 10}, {**EQUAL, "num_run": 40}),
        ("resume_in_window", {**EQUAL, "num_run": 6}, {**EQUAL, "equal": False, "weights": [-1.0] * 8, "num_run": 6}),
        ("nan", {**NAN, "raised": "NonFiniteError: the loss is nan"}, NAN),
        ("nan", {**NAN, "said": "loss is not finite"}, {**NAN, "finite": False, "said": "nan"}),
        ("shared_scaler", 1.0, 2.0),
        ("clip_scaled", 0.5, 1.5e-5),
        ("schedule_skipped", {"advances": 2, "expected": 2}, {"advances": 5, "expected": 2}),
        ("leak", 1.0, 11.0),
        ("stop", 27, 40),
        ("missing_layer", {"raised": "", "said": "forgotten.weight"}, {"raised": "", "said": "0 findings"}),
    ],
)
def test_rows_tell_right_from_wrong(row: str, right: Any, wrong: Any) -> None:
    assert BY_NAME[row].is_right(right)
    assert not BY_NAME[row].is_right(wrong)
    assert BY_NAME[row].show(right) != BY_NAME[row].show(wrong)


@pytest.mark.parametrize("loop", LOOPS)
def test_every_loop_measures_every_row_or_says_why_not(loop: str) -> None:
    tree = ast.parse((FOLDER / f"{loop}.py").read_text(encoding="utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    refused: set[str] = set()
    for node in tree.body:
        target = (
            node.target
            if isinstance(node, ast.AnnAssign)
            else node.targets[0]
            if isinstance(node, ast.Assign)
            else None
        )
        if isinstance(target, ast.Name) and target.id == "NOT_OFFERED":
            refused = set(ast.literal_eval(node.value))  # type: ignore[attr-defined]
    assert functions & set(BY_NAME) == set(BY_NAME) - refused


def test_the_page_shows_the_wrong_way_and_the_reasons() -> None:
    cells = [Cell("some", row.name, Mark.NOT_OFFERED, "has no such thing") for row in ROWS]
    cells[0] = Cell("some", "ragged", Mark.DEPENDS, shown={"a": "1", "b": "2"}, right={"a": True, "b": False})
    text = page([Column("some", "Some", "1.2", cells)], "2.0")
    assert "| *depends* 2 |" in text
    assert "- Some, a: right, 1.\n- Some, b: wrong, 2." in text
    assert "- Some: not offered: has no such thing." in text
    assert "| Some | 13 | 0 | 1 | 0 | 12 | 0 |" in text
