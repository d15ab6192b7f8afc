"""One run of many processes, and folders of many runs."""

import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from surefoot.runlog.read import Run, RunLogWarning, Runs, open_runs, read_run
from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.read.run import load_run
from tests.runlog.making import FINISHED, RUNNING, LogFile


def make_runs(folder: Path, *names: str) -> Runs:
    for name in names:
        with LogFile(folder / name / "rank-0.db") as log:
            log.log([1, 2], loss=[2.0, 1.0])
    return open_runs(folder)


def test_ranks_are_in_order_and_children_last(tmp_path: Path) -> None:
    for name in ("child-9.db", "rank-10.db", "rank-2.db", "rank-0.db"):
        LogFile(tmp_path / name).close()
    run = load_run(tmp_path)
    assert [process.name for process in run] == ["rank-0", "rank-2", "rank-10", "child-9"]
    assert [process.rank for process in run] == [0, 2, 10, None]
    assert run.process(10).rank == 10
    with pytest.raises(KeyError, match="no rank 3"):
        run.process(3)


def test_a_damaged_process_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    with LogFile(tmp_path / "rank-1.db") as log:
        log.log([1], loss=[4.0])
    (tmp_path / "rank-0.db").write_bytes(b"rubbish")
    run = load_run(tmp_path)
    assert [process.rank for process in run] == [1]
    assert "rank-0.db is no run log" in run.problems[0]
    with pytest.raises(RunLogError, match="is no run log"):
        run.scalars("loss")
    assert run.scalars("loss", rank=1).values.tolist() == [4.0]
    with pytest.raises(RunLogError, match=r"rank-0\.db"):
        read_run(tmp_path)


def test_the_status_of_a_run_is_that_of_its_worst_process(tmp_path: Path) -> None:
    LogFile(tmp_path / "rank-0.db", FINISHED).close()
    LogFile(tmp_path / "rank-1.db", {**FINISHED, "reason": "raised"}).close()
    assert load_run(tmp_path).status == "failed"
    LogFile(tmp_path / "rank-2.db", {**RUNNING, "process_started": "other"}).close()
    assert load_run(tmp_path).status == "crashed"
    LogFile(tmp_path / "rank-3.db", RUNNING).close()
    assert load_run(tmp_path).status == "running"
    assert repr(load_run(tmp_path)) == f"<run {tmp_path.name}: running, 4 processes>"


def test_runs_are_found_by_name_beginning_and_as_latest(tmp_path: Path) -> None:
    runs = make_runs(tmp_path, "20260101-a", "20260102-b", "20260103 ödd;'\"[x]")
    assert runs.names() == ["20260101-a", "20260102-b", "20260103 ödd;'\"[x]"]
    assert runs["20260102"].name == "20260102-b"
    assert runs["latest"].name == "20260103 ödd;'\"[x]"
    assert [run.name for run in runs] == runs.names()
    assert (len(runs), repr(runs)) == (3, f"<3 runs in {tmp_path}>")
    with pytest.raises(RunLogError, match=r"3 runs in .* start with '2026'"):
        runs["2026"]
    with pytest.raises(RunLogError, match="Did you mean '20260101-a'"):
        runs["2026O101-a"]


def test_a_run_that_cant_be_read_does_not_hide_the_rest(tmp_path: Path) -> None:
    runs = make_runs(tmp_path, "a", "c")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "rank-0.db").write_bytes(b"rubbish")
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "note.txt").write_text("no run")
    loaded = list(runs.load())
    assert [(run.name, isinstance(run, Run)) for run in loaded] == [("a", True), ("b", False), ("c", True)]
    assert "is no run log" in getattr(loaded[1], "why", "")
    with pytest.warns(RunLogWarning, match="run b can't be read: .*is no run log"):
        assert [run.name for run in runs] == ["a", "c"]
    with pytest.raises(RunLogError, match="is no run log"):
        runs["b"]


def test_a_folder_without_permission_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = make_runs(tmp_path, "a", "b")
    scandir = os.scandir

    def refuse(folder: Path | str) -> Any:
        if Path(folder).name == "a":
            raise PermissionError(13, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", refuse)  # root, which runs tests in containers, is refused nothing
    unreadable, readable = runs.load()
    assert "Permission denied" in getattr(unreadable, "why", "")
    assert isinstance(readable, Run)
    monkeypatch.setattr(os, "scandir", lambda folder: refuse("a"))
    with pytest.raises(RunLogError, match="can't be read: Permission denied"):
        runs.names()


def test_folders_that_are_empty_or_not_there(tmp_path: Path) -> None:
    assert list(open_runs(tmp_path)) == []
    with pytest.raises(RunLogError, match=r"no run in .* yet. `surefoot run SCRIPT` creates one"):
        open_runs(tmp_path)["latest"]
    with pytest.raises(RunLogError, match="there is no folder"):
        open_runs(tmp_path / "none")
    with pytest.raises(RunLogError, match="holds no run log"):
        load_run(tmp_path)


def test_one_series_of_a_run(tmp_path: Path) -> None:
    runs = make_runs(tmp_path, "a")
    assert runs["a"].scalars("loss").values.tolist() == [2.0, 1.0]
    with pytest.raises(KeyError, match=r"no series 'los'. It has: loss"):
        runs["a"].scalars("los")


def test_a_series_that_is_not_whole_warns(tmp_path: Path) -> None:
    with LogFile(tmp_path / "a" / "rank-0.db") as log:
        log.log([1], loss=[1.0])
        log.seal().write_bytes(b"cut")
        log.log([2], loss=[2.0])
    with pytest.warns(RunLogWarning, match="is damaged"):
        assert open_runs(tmp_path)["a"].scalars("loss").values.tolist() == [2.0]


@pytest.mark.parametrize("left", ["rank-0.segments", "rank-0.media", "rank-0.id", "rank-0.tail-1"])
def test_a_run_whose_database_is_gone_is_told(tmp_path: Path, left: str) -> None:
    (tmp_path / "a" / left).mkdir(parents=True)
    (run,) = open_runs(tmp_path).load()
    assert "rank-0.db is missing" in getattr(run, "why", "")


def test_a_half_written_run_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    sqlite3.connect(tmp_path / "a" / "rank-0.db").close()
    (tmp_path / "a" / "rank-0.db").touch()
    with pytest.raises(RunLogError, match="is empty"):
        open_runs(tmp_path)["a"]
