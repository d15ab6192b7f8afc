"""Source that is stored with findings."""

import json
import linecache
from pathlib import Path

import pytest

from surefoot.runlog.read import read_process
from surefoot.runlog.write.excerpt import LONGEST, excerpt
from surefoot.runlog.write.log import RunLog

SOURCE = "".join(f"line {number}\n" for number in range(1, 11))


def test_lines_before_and_after(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(SOURCE, encoding="utf-8")
    first, lines = excerpt(str(file), 5)
    assert (first, json.loads(lines)) == (2, [f"line {number}" for number in range(2, 9)])
    first, lines = excerpt(str(file), 1)
    assert (first, json.loads(lines)) == (1, [f"line {number}" for number in range(1, 5)])


@pytest.mark.parametrize("line", [None, 0, 11, 10**9])
def test_lines_that_are_not_there(tmp_path: Path, line: int | None) -> None:
    file = tmp_path / "train.py"
    file.write_text(SOURCE, encoding="utf-8")
    assert excerpt(str(file), line)[1] == "[]"


def test_files_that_are_no_text_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"\xff\xfe\x00" * 100)
    for file in (None, "", str(tmp_path), str(tmp_path / "a.py"), str(tmp_path / "none.py"), "<string>", "a\0b"):
        assert excerpt(file, 1) == (0, "[]")


def test_other_encodings_and_long_lines(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_bytes(
        "# coding: latin-1\nx = 'é'\n".encode("latin-1") + b"y" * 300_000
    )  # hours, if masking secrets took time by the square
    _, lines = excerpt(str(file), 2)
    assert json.loads(lines) == ["# coding: latin-1", "x = 'é'", "y" * LONGEST]


def test_cells_of_notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = "<ipython-input-1-abc>"
    monkeypatch.setitem(linecache.cache, cell, (len(SOURCE), None, SOURCE.splitlines(keepends=True), cell))
    assert excerpt(cell, 10)[0] == 7


def test_a_finding_keeps_the_source_of_its_first_time(tmp_path: Path) -> None:
    source = tmp_path / "train.py"
    source.write_text(SOURCE, encoding="utf-8")
    log = RunLog(tmp_path / "run" / "rank-0.db", {}, pytest.fail)
    finding = {
        "rule": "a", "severity": "error", "message": "m", "why": "w", "fix": "f", "file": str(source), "line": 2,
        "step": 1, "count": 1, "evidence": {},
    }  # fmt: skip
    log.finding(0, finding)
    log.finding(1, {**finding, "file": None, "line": None})
    assert log.flush()
    source.write_text("changed\n" * 10, encoding="utf-8")
    log.finding(0, {**finding, "count": 2})
    log.close()
    process = read_process(log.file)
    assert process.excerpts() == [{"first": 1, "lines": [f"line {number}" for number in range(1, 6)]}, None]
    assert [found["count"] for found in process.findings()] == [2, 1]
