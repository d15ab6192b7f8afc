"""The report for people."""

import io
from pathlib import Path

import pytest

from surefoot.report import Report
from surefoot.report.text import as_text, code_frame
from tests.cli.command import make_finding, write


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "train.py", "one()\n\n\ttwo(); x = '[bold]'\nthree()\nfour()\n")


def test_a_finding_is_told_with_its_lines_and_numbers(script: Path) -> None:
    finding = make_finding(file=str(script), line=3, evidence={"length_ratio": 1.23456789, "shapes": (2, 3.5)})
    report = Report("train.py", 412, [finding], {"a": "probe x is off", "b": "probe x is off"}, 60)
    assert as_text(report, io.StringIO(), num_hidden=2) == (
        "error[stale-gradients] 2 of 2 step twice\n"
        "  --> train.py:3  3 times, first at step 2\n"
        "    1 | one()\n"
        "    2 |\n"
        "  > 3 |     two(); x = '[bold]'\n"
        "    4 | three()\n"
        "  evidence: length ratio 1.235, shapes [2, 3.5]\n"
        "  why: it adds up\n"
        "  fix: clear them\n"
        "\n"
        "surefoot: 1 finding in 412 steps; 58 rules checked; 2 notes hidden (--notes shows them); "
        "2 not checked: a, b (probe x is off)\n"
    )


def test_without_a_line(script: Path) -> None:
    told = as_text(Report("train.py", 1, [make_finding(step=0, count=1)], {}, 1), io.StringIO())
    assert "  no line of the program; before the first step\n" in told
    assert "surefoot: 1 finding in 1 step; 1 rule checked\n" in told


def test_the_worst_comes_first() -> None:
    findings = [
        make_finding(severity=s, message=f"{s} {step}", step=step)
        for s, step in [("note", 1), ("error", 9), ("warning", 1), ("error", 3)]
    ]
    told = as_text(Report("train.py", 9, findings), io.StringIO())
    order = [told.index(text) for text in ("error 3", "error 9", "warning 1", "note 1")]
    assert order == sorted(order)


def test_a_cause_comes_right_before_what_follows_from_it(script: Path) -> None:
    cause = make_finding(rule="cause", severity="warning", file=str(script), line=1, step=7)
    grave = make_finding(rule="grave", file=str(script), line=3, step=5, follows=cause.place)
    later = make_finding(rule="later", severity="warning", file=str(script), line=4, follows=grave.place)
    unrelated = make_finding(rule="unrelated", step=1)
    report = Report("train.py", 9, [grave, later, cause, unrelated])
    assert [f.rule for f in report.worst_first] == ["unrelated", "cause", "grave", "later"]
    assert "  follows from: cause at train.py:1; fix that first\n" in as_text(report, io.StringIO())
    circular = [make_finding(rule=a, follows=(b, None, None)) for a, b in (("a", "b"), ("b", "a"))]
    assert {f.rule for f in Report("train.py", 9, circular).worst_first} == {"a", "b"}


def test_colours_are_for_terminals(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.delenv("NO_COLOR", raising=False)
    report = Report("train.py", 1, [make_finding(file=str(script), line=1, why="long " * 40)])
    assert "\x1b[1;31merror[stale-gradients]" in as_text(report, Terminal())
    assert max(map(len, as_text(report, Terminal()).splitlines())) < 100
    assert "\x1b" not in as_text(report, io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" not in as_text(report, Terminal())


def test_a_file_that_is_gone_has_no_lines(tmp_path: Path) -> None:
    assert list(code_frame(str(tmp_path / "gone.py"), 3)) == []
