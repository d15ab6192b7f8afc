"""Proven patches on the cards of findings."""

from pathlib import Path
from typing import Any

import pytest

from surefoot.dashboard.data.findings import findings
from surefoot.runlog.folder import run_folder
from surefoot.runlog.read.result import parse_result, read_result
from surefoot.runlog.read.run import Run, load_run
from surefoot.runlog.write.result import ResultRun
from surefoot.runlog.write.run import Run as WrittenRun

SOURCE = "a = 1\nb = 2\nc = 3\n"


def finding(file: Path) -> dict[str, Any]:
    return {
        "rule": "stale-gradients", "severity": "error", "message": "m", "why": "w", "fix": "f", "file": str(file),
        "line": 2, "step": 1, "count": 3, "evidence": {}, "follows": None,
    }  # fmt: skip


def train(log: Path, file: Path) -> Path:
    with WrittenRun(run_folder(log, str(file)), str(file), print) as run:
        run.scalars(1, {"loss": 1.0})
        run.finding(0, finding(file))
    return run.folder


def fix(log: Path, file: Path, line: int = 2) -> Path:
    patch = {"rule": "stale-gradients", "file": str(file), "line": line, "diff": "+d", "meaning": "do it"}
    result = {"patches": [patch], "unpatched": []}
    return ResultRun(log, "fix", str(file), print).write("1 proven patch", result, 0, findings=[finding(file)])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "train.py"
    file.write_text(SOURCE)
    return file


def diffs(run: Run) -> list[str]:
    (one,) = findings(run)
    return [patch["diff"] for patch in one["patches"]]


def test_a_patch_is_shown_with_the_finding_of_an_earlier_run(tmp_path: Path, file: Path) -> None:
    trained = train(tmp_path / "runs", file)
    assert diffs(load_run(trained)) == []
    fixed = fix(tmp_path / "runs", file)
    assert diffs(load_run(fixed)) == diffs(load_run(trained)) == ["+d"]


def test_not_where_the_source_is_another(tmp_path: Path, file: Path) -> None:
    fix(tmp_path / "runs", file)
    file.write_text(SOURCE.replace("c = 3", "c = 4"))
    assert diffs(load_run(train(tmp_path / "runs", file))) == []


def test_not_of_another_script_or_line_nor_of_a_fix_that_cannot_be_read(tmp_path: Path, file: Path) -> None:
    trained = load_run(train(tmp_path / "runs", file))
    other = tmp_path / "other" / "train.py"
    other.parent.mkdir()
    other.write_text(SOURCE)
    fix(tmp_path / "runs", other)
    fix(tmp_path / "runs", file, line=3)
    damaged = fix(tmp_path / "runs", file)
    (damaged / "rank-0.db").write_bytes(b"rubbish")
    assert diffs(trained) == []


def test_what_is_no_result(tmp_path: Path, file: Path) -> None:
    assert read_result(load_run(train(tmp_path / "runs", file))) is None
    assert [parse_result(text) for text in ("{", "[]", "{}", '{"of": 1}')] == [None] * 4
