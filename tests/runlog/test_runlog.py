"""The run log: what is written can be read, and trouble never reaches training."""

import re
import sqlite3
from pathlib import Path

import pytest

from surefoot.facts import EndFacts, Record, SetupFacts, Site, StepFacts
from surefoot.runlog.folder import run_folder
from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.read.run import read_run
from surefoot.runlog.write.log import RunLog

RECORDS: list[Record] = [
    SetupFacts(at=0),
    StepFacts(at=1, index=1, optimizer=1, update=1, site=Site("a.py", 3), lrs=(0.1, float("inf"))),
    StepFacts(at=2, index=2, optimizer=1, update=2),
    EndFacts(at=3, num_steps=2),
]
FINDING = {
    "rule": "r", "severity": "error", "message": "m", "why": "w", "fix": "f", "file": None, "line": None, "step": 1,
    "count": 1, "evidence": {"a": 1},
}  # fmt: skip


def write_log(file: Path, records: list[Record] = RECORDS) -> list[str]:
    said: list[str] = []
    log = RunLog(file, {"script": "train.py"}, said.append)
    for record in records:
        log.record(record)
    log.finding(0, FINDING)
    log.finding(0, {**FINDING, "count": 7})
    log.close()
    return said


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    assert write_log(tmp_path / "run" / "rank-0.db") == []
    (process,) = read_run(tmp_path / "run")
    assert process.meta["script"] == "train.py"
    assert list(process.records()) == RECORDS
    connection = sqlite3.connect(process.file)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("SELECT rule, count, evidence FROM findings").fetchall() == [("r", 7, '{"a": 1}')]
    connection.close()


def test_ranks_come_first_and_in_order(tmp_path: Path) -> None:
    for name in ("child-9.db", "rank-1.db", "rank-0.db"):
        write_log(tmp_path / name)
    assert [p.file.name for p in read_run(tmp_path)] == ["rank-0.db", "rank-1.db", "child-9.db"]


def test_a_newer_log_is_refused(tmp_path: Path) -> None:
    write_log(tmp_path / "rank-0.db")
    connection = sqlite3.connect(tmp_path / "rank-0.db")
    connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")
    connection.commit()
    connection.close()
    with pytest.raises(RunLogError, match="schema version 99; this surefoot reads up to 2"):
        read_run(tmp_path)


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunLogError, match="holds no run log"):
        read_run(tmp_path)
    (tmp_path / "rank-0.db").write_text("something else entirely, long enough to be looked at" * 50)
    with pytest.raises(RunLogError, match="is no run log"):
        read_run(tmp_path)


def test_names_sort_and_are_valid_everywhere(tmp_path: Path) -> None:
    name = run_folder(tmp_path, "some/path/my träin: run?.v2.py").name
    assert re.fullmatch(r"\d{8}-\d{6}-my-tr-in-run-v2-[0-9a-f]{6}", name)
    assert re.fullmatch(r"\d{8}-\d{6}-run-[0-9a-f]{6}", run_folder(tmp_path, "<>").name)
    assert re.fullmatch(r"\d{8}-\d{6}-lr-0-1-adam-[0-9a-f]{6}", run_folder(tmp_path, "lr-0.1 adam").name)
    assert len(run_folder(tmp_path, "x" * 500).name) < 100
    assert run_folder(tmp_path, "a.py") != run_folder(tmp_path, "a.py")
