"""The programs of `make bench-check`: each defect is put in where it should be, and names a check that exists."""

import ast

import pytest
from benchmarks.check.defects import DEFECTS, OPTIONS, PROGRAMS, Defect
from benchmarks.check.page import page

from surefoot.check.verdict import NAMES

PROGRAM_NAMES = {file.stem for file in PROGRAMS.glob("*.py")}


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: f"{defect.program}: {defect.name}")
def test_a_defect_changes_its_program(defect: Defect) -> None:
    clean = (PROGRAMS / f"{defect.program}.py").read_text(encoding="utf-8")
    assert ast.dump(ast.parse(defect.code())) != ast.dump(ast.parse(clean))


def test_all_checks_have_defects() -> None:
    assert {defect.check for defect in DEFECTS} == set(NAMES)
    assert {defect.program for defect in DEFECTS} <= PROGRAM_NAMES
    assert set(OPTIONS) <= PROGRAM_NAMES


def test_the_page_counts_what_was_seen() -> None:
    seen = {"verdict": "fail", "why": "a | b"}
    clean = {"modes-matter": {"verdict": "pass"}, "equal-seeds-agree": {"verdict": "not-tested"}}
    text = page([("gan", clean)], [(DEFECTS[0], seen), (DEFECTS[1], {**seen, "verdict": "not-tested"})])
    assert "Shown: 1 of 2 defects. Accused: 0 of 1 clean programs." in text
    assert "| modes-matter | none | equal-seeds-agree |" in text
    assert f"| {DEFECTS[0].program} | {DEFECTS[0].name} | {DEFECTS[0].check} | shown | a \\| b |" in text
    assert "Accused: 1 of 1" in page([("gan", {"modes-matter": {"verdict": "fail"}})], [])
