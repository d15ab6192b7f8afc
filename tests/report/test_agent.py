"""One line for coding assistants: complete, and never longer than it may be."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from surefoot.report import Process, Report
from surefoot.report.agent import MOST_BYTES, as_agent
from tests.cli.command import make_finding


def told(report: Report, **more: Any) -> dict[str, Any]:
    line = as_agent(report, **more)
    assert line.count("\n") == 1
    assert line.endswith("\n")
    assert line.isascii()
    assert len(line) <= MOST_BYTES
    answer: dict[str, Any] = json.loads(line)
    return answer


def test_a_finding_has_all_that_it_takes_to_act(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text("a\nb\nc\nd\ne\n")
    cause = make_finding(rule="cause", file=str(tmp_path / "train.py"), line=1, count=1)
    finding = make_finding(
        file=str(tmp_path / "train.py"), line=4, evidence={"norm": float("nan")}, follows=cause.place
    )
    answer = told(Report("train.py", 9, [finding, cause]), patchable={"stale-gradients"}, exit_status="1 (so)")
    assert (answer["script"], answer["steps"], answer["exit_status"]) == ("train.py", 9, "1 (so)")
    assert (answer["remarks"], answer["findings_left_out"]) == ([], 0)
    first, second = answer["findings"]
    assert (first["rule"], first["patch_known"]) == ("cause", False)
    assert second == {
        "rule": "stale-gradients", "severity": "error", "file": "train.py", "line": 4,
        "source": ["    2 | b", "    3 | c", "  > 4 | d", "    5 | e"],
        "message": "2 of 2 step twice", "why": "it adds up", "fix": "clear them", "evidence": {"norm": "NaN"},
        "count": 3, "first_step": 2, "patch_known": True, "follows": {"rule": "cause", "file": "train.py", "line": 1},
    }  # fmt: skip


def test_findings_that_do_not_fit_are_counted_and_the_gravest_stay() -> None:
    warnings = [make_finding(severity="warning", rule=f"rule-{i}", message="m" * 300) for i in range(40)]
    answer = told(Report("train.py", 9, [*warnings, make_finding(rule="gravest")]))
    assert answer["findings"][0]["rule"] == "gravest"
    assert 10 < len(answer["findings"]) < 40
    assert len(answer["findings"]) + answer["findings_left_out"] == 41
    spare = MOST_BYTES - len(as_agent(Report("train.py", 9, [*warnings, make_finding(rule="gravest")])))
    assert spare < len(json.dumps(answer["findings"][-1])), "one more would have fitted"


def test_one_finding_fits_however_long_all_parts_are(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("é" * 900 + "\n" + ("x" * 900 + "\n") * 4, encoding="utf-8")
    finding = make_finding(
        file=str(file), line=3, message="…" * 5000, why="w" * 5000, fix='"' * 5000, follows=("cause", str(file), 1),
        evidence={"names": ["n" * 40] * 40, "few": 3} | {f"number_{i}": i for i in range(90)},
    )  # fmt: skip
    report = Report(
        "s" * 5000, 0, [finding, dataclasses.replace(finding, line=2)], {"rule": "r" * 5000}, 5,
        processes=[Process("p" * 3000, is_complete=False)], not_followed={"c" * 3000: "w" * 3000},
    )  # fmt: skip
    commands = {"short": "surefoot", "one": "a" * 790, "other": "b" * 790, "long": "c" * 801}
    answer = told(report, commands=commands, exit_status="1 (a finding reaches --fail-on error)", num_hidden=2)
    assert answer["findings_left_out"] == 1
    assert list(answer["commands"]) == ["short", "one", "other"]
    (found,) = answer["findings"]
    assert found["why"] == "w" * 592 + "…"
    assert found["evidence"]["few"] == 3
    assert "names" not in found["evidence"]
    assert len(found["evidence"]) + found["evidence_left_out"] == 92
    assert [text[:12] for text in answer["remarks"]] == ["no optimizer", "2 notes hidd", "not checked:"]
