"""The bug corpus is complete and its marks can be read. Running it belongs to `make bench-bugs`."""

import ast
import json
from pathlib import Path

import pytest
from benchmarks.bugs import reported_page
from benchmarks.bugs.page import page
from benchmarks.bugs.program import FRAMEWORKS, REPORTED, Program, corpus, read_program, reported_corpus
from benchmarks.bugs.verdict import Remark, Verdict

from surefoot.rules.catalogue import catalogue

FAMILIES = {
    "grad", "clip", "amp", "optim", "sched", "mode", "loss", "graph", "health", "converge", "data", "ckpt",
}  # fmt: skip
TO_COME = {"uninitialised-parameter"}  # what it reads differs from run to run, so that results can't be compared
PROGRAMS = corpus()
BUGGY = [p for p in PROGRAMS if p.is_buggy]


def test_every_rule_above_a_note_has_a_buggy_program() -> None:
    expected = {r.name for r in catalogue().values() if r.family in FAMILIES and r.level != "note"}
    assert expected - TO_COME | {"non-finite-loss"} <= {p.rule for p in BUGGY}


@pytest.mark.parametrize("program", BUGGY, ids=lambda p: p.name)
def test_a_buggy_program_names_its_rule_and_marks_a_line(program: Program) -> None:
    assert program.rule in program.names
    assert program.lines


@pytest.mark.parametrize("program", [p for p in PROGRAMS if not p.is_buggy], ids=lambda p: p.name)
def test_a_clean_program_has_no_mark(program: Program) -> None:
    assert program.path.stem.endswith("_good")
    assert not program.names
    assert (
        program.path.parent == FRAMEWORKS or program.path.with_stem(program.path.stem[: -len("good")] + "bad").exists()
    )


def test_a_marked_call_over_several_lines_counts_whole(tmp_path: Path) -> None:
    folder = tmp_path / "zero-learning-rate"
    folder.mkdir()
    file = folder / "x_bad.py"
    file.write_text("a = dict(  # BUG: zero-learning-rate  ALSO: clip-after-step\n    b=1,\n)\nc = 2\n")
    program = read_program(file)
    assert (program.lines, program.names, program.consequences) == (
        {1, 2, 3},
        {"zero-learning-rate"},
        {"clip-after-step"},
    )


def test_verdicts(tmp_path: Path) -> None:
    file = tmp_path / "stale-gradients" / "x_bad.py"
    file.parent.mkdir()
    file.write_text("a = 1\nb = 2  # BUG: stale-gradients\n")
    program = read_program(file)
    right = Verdict(program, (Remark(frozenset({"stale-gradients"}), "stale-gradients", 2),))
    elsewhere = Verdict(program, (Remark(frozenset({"stale-gradients"}), "stale-gradients", 1),))
    other = Verdict(program, (Remark(frozenset({"clip-after-step"}), "clip-after-step", 2),))
    assert (right.found, right.right_line, right.false_alarms) == (True, True, ())
    assert (elsewhere.found, elsewhere.right_line) == (True, False)
    assert (other.found, len(other.false_alarms)) == (False, 1)


class Tool:
    name, version = "surefoot", ""

    def __init__(self, verdicts: tuple[Verdict, ...]) -> None:
        self.verdicts = verdicts


def test_the_page_counts_what_was_found() -> None:
    found = tuple(Verdict(p, (Remark(p.names, p.rule, min(p.lines)),)) for p in BUGGY)
    text = page([Tool(found)])
    assert f"| surefoot | {len(BUGGY)} | {len(BUGGY)} (100 %) |" in text
    assert "got wrong" not in text


REPORTS = {program.name: program for program in reported_corpus()}
REPORTED_BUGS = [program for program in REPORTS.values() if program.is_buggy]


def test_there_are_eighty_reported_bugs_each_with_its_fixed_twin() -> None:
    assert len(REPORTED_BUGS) >= 80
    assert set(REPORTS) == {f"{p.name.removesuffix('bad')}{twin}" for p in REPORTED_BUGS for twin in ("bad", "good")}


def test_a_reported_bug_names_its_report_and_marks_its_lines() -> None:
    rules = set(catalogue())
    for program in REPORTED_BUGS:
        assert program.source.startswith("https://"), program.name
        assert program.changed, program.name
        assert program.names and program.lines, program.name
        assert program.gap or program.names & rules, f"{program.name}: no rule has its names, and no gap"


def test_a_fixed_twin_differs_from_its_bug_by_code_and_has_no_mark() -> None:
    for program in REPORTED_BUGS:
        twin = REPORTS[program.name.removesuffix("bad") + "good"]
        assert not twin.lines, twin.name
        assert ast.dump(ast.parse(program.path.read_text())) != ast.dump(ast.parse(twin.path.read_text())), twin.name


def test_every_reported_bug_is_in_one_of_the_blind_runs() -> None:
    rounds = [set(json.loads(file.read_text())) for file in REPORTED.glob("blind*.json")]
    assert len(rounds) > 1 and len(set().union(*rounds)) == sum(map(len, rounds))
    assert {p.name for p in REPORTED_BUGS} <= set().union(*rounds)


def test_the_page_of_reported_bugs_counts_by_kind_and_tells_why_one_is_missed() -> None:
    found = [Verdict(p, (Remark(p.names, "said", min(p.lines)),)) for p in REPORTED_BUGS if not p.gap]
    missed = [Verdict(p, ()) for p in REPORTED_BUGS if p.gap]
    text = reported_page.page([Tool((*found, *missed))])
    assert f"| surefoot | {len(REPORTED_BUGS)} | {len(found)} (" in text
    for verdict in missed:
        assert f"({verdict.program.source})): {verdict.program.gap}" in text
