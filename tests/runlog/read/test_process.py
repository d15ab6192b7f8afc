"""One process's file: what became of it, and its series from chunks and segments."""

import math
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from surefoot.facts import EndFacts
from surefoot.runlog.read import column as column_module
from surefoot.runlog.read import read_process
from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.read.process import StoredProcess
from surefoot.runlog.read.run import load_run
from surefoot.runlog.read.summary import summarize
from tests.runlog.making import FINDING, FINISHED, RUNNING, START, LogFile, old_beat, write_parquet

FILES = Path(__file__).parents[1] / "files"


def values(process: StoredProcess, name: str = "loss") -> list[float]:
    (column,) = process.columns(lambda series: series.name == name).values()
    found: list[float] = column.values.tolist()
    return found


def test_series_come_from_chunks_and_segments(tmp_path: Path) -> None:
    with LogFile(tmp_path / "rank-0.db") as log:
        log.log(range(25), loss=[step / 2 for step in range(25)], acc=[0.0] * 25)
        log.seal()
        log.log(range(25, 30), acc=[1.0] * 5, loss=[math.nan, math.inf, -math.inf, 1.0, 2.0])
    process = read_process(tmp_path / "rank-0.db")
    (loss,) = process.columns(lambda series: series.name == "loss").values()
    assert loss.steps.tolist() == list(range(30))
    assert loss.times.tolist() == [START + step for step in range(30)]
    assert loss.values[:25].tolist() == [step / 2 for step in range(25)]
    assert math.isnan(loss.values[25])
    assert loss.values[26:].tolist() == [math.inf, -math.inf, 1.0, 2.0]
    both = process.columns()
    assert {series.name: len(column) for series, column in both.items()} == {"loss": 30, "acc": 30}
    assert both[process.series()[1]].values.tolist() == [0.0] * 25 + [1.0] * 5


def test_steps_are_sorted_and_repeated_ones_kept_in_order(tmp_path: Path) -> None:
    with LogFile(tmp_path / "rank-0.db") as log:
        log.log([5, 6], loss=[50.0, 60.0])
        log.log([1, 5], loss=[10.0, 51.0])
    assert values(read_process(tmp_path / "rank-0.db")) == [10.0, 50.0, 51.0, 60.0]


def test_a_segment_that_was_merged_in_between_is_looked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = LogFile(tmp_path / "rank-0.db")
    log.log(range(4), loss=[0.0, 1.0, 2.0, 3.0])
    first = log.seal()
    whole, tried = column_module.whole, []

    def merge(*args: Any, **kwargs: Any) -> Any:
        if not tried:
            write_parquet(first.with_name("000009.parquet"), [(1, step, START, float(step), 1) for step in range(4)])
            log.connection.execute("UPDATE segments SET file = '000009.parquet'")
            first.unlink()
        tried.append(1)
        return whole(*args, **kwargs)

    monkeypatch.setattr(column_module, "whole", merge)
    assert values(read_process(log.file)) == [0.0, 1.0, 2.0, 3.0]
    assert len(tried) == 2
    log.close()


@pytest.mark.parametrize("harm", ["cut", "rubbish", "inside", "gone"])
def test_a_damaged_segment_is_told_and_the_rest_is_read(
    harm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(column_module, "WAIT_SECONDS", 0.0)
    with LogFile(tmp_path / "rank-0.db") as log:
        log.log(range(3), loss=[0.0, 1.0, 2.0])
        bad = log.seal()
        log.log(range(3, 5), loss=[3.0, 4.0])
        log.seal()
        log.log([5], loss=[5.0])
    content = bad.read_bytes()
    if harm == "gone":
        bad.unlink()
    elif harm == "inside":
        bad.write_bytes(content[:4] + b"\xff" * (len(content) - 12) + content[-8:])
    else:
        bad.write_bytes(content[: len(content) // 2] if harm == "cut" else b"no parquet")
    process = read_process(log.file)
    assert values(process) == [3.0, 4.0, 5.0]
    (problem,) = process.problems
    assert str(bad) in problem
    assert "3 values are left out" in problem


def test_what_became_of_a_process(tmp_path: Path) -> None:
    cases = {
        "finished": FINISHED,
        "failed": {**FINISHED, "reason": "raised"},
        "running": RUNNING,
        "crashed": {**RUNNING, "process_started": "another one"},
    }
    for status, meta in cases.items():
        LogFile(tmp_path / status / "rank-0.db", meta).close()
        assert read_process(tmp_path / status / "rank-0.db").status == status
    elsewhere = {"host": "elsewhere", "pid": "1", "process_started": "x"}
    for beat, status in ((str(time.time()), "running"), (old_beat(), "crashed")):
        LogFile(tmp_path / beat / "rank-0.db", {**elsewhere, "beat": beat}).close()
        assert read_process(tmp_path / beat / "rank-0.db").status == status
    LogFile(tmp_path / "exit" / "rank-0.db", {**FINISHED, "exit": "3"}).close()
    assert read_process(tmp_path / "exit" / "rank-0.db").status == "failed"


def test_a_process_that_is_gone_has_crashed(tmp_path: Path) -> None:
    code = f"""
import sys
from pathlib import Path
from tests.runlog.making import LogFile, RUNNING
LogFile(Path({str(tmp_path / "rank-0.db")!r}), RUNNING).log([1], loss=[0.5])
print("ready", flush=True)
sys.stdin.read()
"""
    folder = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stdin=subprocess.PIPE, cwd=folder
    ) as child:
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        assert read_process(tmp_path / "rank-0.db").status == "running"
        child.kill()
    process = read_process(tmp_path / "rank-0.db")
    assert process.status == "crashed"
    assert values(process) == [0.5]


def test_version_1_is_read() -> None:
    process = read_process(FILES / "version-1.db")
    assert process.meta["schema_version"] == "1"
    assert process.status == "finished"
    records = list(process.records())
    assert len(records) == 5
    assert isinstance(records[-1], EndFacts)
    assert [finding["rule"] for finding in process.findings()] == ["stale-gradients"]
    assert (process.series(), process.events(), process.columns()) == ([], (), {})
    assert process.after().new_findings


def test_version_2_is_read() -> None:
    process = read_process(FILES / "version-2" / "rank-0.db")
    assert (process.meta["schema_version"], process.status) == ("2", "finished")
    (loss,) = process.columns(lambda series: series.name == "loss").values()
    assert loss.steps.tolist() == list(range(1, 12)), "ten steps are sealed, one is not"
    assert math.isnan(loss.values[3])
    assert loss.values[-1] == 0.05
    assert len(list(process.records())) == 12
    assert [event.kind for event in process.events()] == ["stop"]
    hists = load_run(FILES / "version-2").sql("SELECT name, low, high, count FROM hists ORDER BY low").rows()
    assert hists == [("fc.weight", -1.0, 0.0, 3), ("fc.weight", 0.0, 1.0, 4)]
    (line,) = summarize([load_run(FILES / "version-2")])
    assert (line.updates, line.last_loss, line.findings, line.exit) == (11, 0.05, 1, 0)


@pytest.mark.parametrize("file", [FILES / "version-1.db", FILES / "version-2" / "rank-0.db"])
def test_findings_of_older_logs_have_no_excerpt(file: Path) -> None:
    process = read_process(file)
    assert process.excerpts() == [None] * len(process.findings())


def test_more_series_than_sqlite_has_columns(tmp_path: Path) -> None:
    with LogFile(tmp_path / "rank-0.db") as file:
        file.log([1, 2, 3], **{f"s{i}": [i, i + 0.5, i + 1.0] for i in range(2100)})
    process = read_process(tmp_path / "rank-0.db")
    assert len(process.columns()) == 2100
    assert values(process, "s2099") == [2099, 2099.5, 2100]
    assert len(process.after().columns) == 2100


def test_version_1_without_an_end_is_judged_by_its_files(tmp_path: Path) -> None:
    file = shutil.copy(FILES / "version-1.db", tmp_path / "rank-0.db")
    with LogFile(file) as log:
        log.connection.execute("DELETE FROM meta WHERE key IN ('ended', 'pid', 'host', 'process_started')")
    assert read_process(file).status == "running"
    os.utime(file, (START, START))
    assert read_process(file).status == "crashed"


def test_newer_files_are_refused(tmp_path: Path) -> None:
    LogFile(tmp_path / "rank-0.db", {"schema_version": "3"}).close()
    with pytest.raises(RunLogError, match=r"schema version 3; this surefoot reads up to 2. Upgrade surefoot"):
        read_process(tmp_path / "rank-0.db")


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "rank-0.db"
    with pytest.raises(RunLogError, match="is missing"):
        read_process(file)
    file.write_bytes(b"")
    with pytest.raises(RunLogError, match="is empty"):
        read_process(file)
    file.write_bytes(b"something else")
    with pytest.raises(RunLogError, match="is no run log: it is not an SQLite file"):
        read_process(file)
    file.unlink()
    with LogFile(file) as log:
        log.connection.execute("DROP TABLE findings")
    with pytest.raises(RunLogError, match="no table 'findings'"):
        read_process(file)
    content = (FILES / "version-1.db").read_bytes()
    file.write_bytes(content[:4096] + b"\xff" * 12288)
    with pytest.raises(RunLogError, match=r"rank-0\.db"):
        list(read_process(file).records())


def test_a_finished_file_is_read_without_a_trace(tmp_path: Path) -> None:
    with LogFile(tmp_path / "rank-0.db") as log:
        log.finding()
        log.event(3, "stop", "below 0.1")
    process = read_process(tmp_path / "rank-0.db")
    assert tuple(process.findings()[0].values()) == FINDING
    assert [(event.step, event.kind, event.text) for event in process.events()] == [(3, "stop", "below 0.1")]
    assert list(tmp_path.iterdir()) == [tmp_path / "rank-0.db"]


def test_a_writer_without_wal_that_died_in_a_commit(tmp_path: Path) -> None:
    """What it had committed is read, and its files stay as they are."""
    code = f"""
import sys
from pathlib import Path
from tests.runlog.making import LogFile, RUNNING
log = LogFile(Path({str(tmp_path / "rank-0.db")!r}), RUNNING)
log.connection.execute("PRAGMA journal_mode=DELETE")
log.log([1, 2], loss=[1.0, 2.0])
log.connection.execute("PRAGMA cache_size=1")
log.connection.execute("BEGIN")
log.log(range(3, 2000), loss=[9.0] * 1997)
print("ready", flush=True)
sys.stdin.read()
"""
    folder = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stdin=subprocess.PIPE, cwd=folder
    ) as child:
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        child.kill()
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert "rank-0.db-journal" in before
    process = read_process(tmp_path / "rank-0.db")
    assert (process.status, values(process)) == ("crashed", [1.0, 2.0])
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
