"""A run in one line: also of runs that are odd, old or damaged."""

import math
from pathlib import Path

import pytest

from surefoot.dashboard.data.run import _in_order
from surefoot.runlog.read import RunLogWarning, open_runs
from surefoot.runlog.read.error import Unreadable
from surefoot.runlog.read.segment import Segment, last_values, whole
from surefoot.runlog.read.sql.answer import ask
from surefoot.runlog.read.summary import Summary, summarize
from surefoot.runlog.write.run import Run
from tests.runlog.making import FINISHED, RUNNING, LogFile


def line(folder: Path) -> Summary:
    (found,) = summarize(open_runs(folder).load())
    return found


def test_the_last_loss_is_looked_up_where_it_is(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "a" / "rank-0.db")
    log.log([1, 2], **{"train/loss": [3.0, 2.0]})
    assert line(tmp_path).last_loss == 2.0
    segment = log.seal()
    log.connection.execute("DELETE FROM sealed")
    assert line(tmp_path).last_loss == 2.0, "in the segment"
    log.connection.execute("INSERT INTO sealed (series, num_rows, last_step, last_time) VALUES (1, 1, 1, 1.0)")
    last = line(tmp_path).last_loss
    assert last is not None and math.isnan(last), "as it was noted at sealing, where NaN is NULL"
    log.connection.execute("DELETE FROM sealed")
    segment.write_bytes(b"rubbish")
    assert line(tmp_path).last_loss is None
    log.close()


def test_one_damaged_segment_does_not_hide_the_losses_of_others(tmp_path: Path) -> None:
    files = []
    for name in ("a", "b"):
        with LogFile(tmp_path / name / "rank-0.db") as log:
            log.log([1], loss=[4.0])
            files.append(log.seal())
    files[0].write_bytes(b"rubbish")
    assert last_values([(Segment(file, 1, 1, 1, 1, 1), 1) for file in files]) == {files[1]: 4.0}


def test_meta_that_is_odd_is_left_out(tmp_path: Path) -> None:
    meta = {"command": "not JSON", "started": "soon", "exit": "none", "beat": "x", "git_dirty": "", "attempt": "3"}
    LogFile(tmp_path / "a" / "rank-0.db", {**FINISHED, **meta}).close()
    found = line(tmp_path)
    assert (found.command, found.started, found.exit, found.seconds, found.git_dirty, found.attempt) == (
        "not JSON", None, None, None, None, 3
    )  # fmt: skip


def test_a_run_that_goes_on_has_taken_its_time_up_to_now(tmp_path: Path) -> None:
    LogFile(tmp_path / "a" / "rank-0.db", {**RUNNING, "started": "1970-01-01T00:00:00+0000", "beat": "12.5"}).close()
    assert line(tmp_path).seconds == 12.5


def test_records_that_are_damaged_are_told(tmp_path: Path) -> None:
    with LogFile(tmp_path / "a" / "rank-0.db") as log:
        log.record("StepFacts", 1, "{")
        log.log([1], loss=[1.0])
    run = open_runs(tmp_path)["a"]
    assert "is damaged" in run.problems[0]
    with pytest.warns(RunLogWarning, match="is damaged"):
        assert run.scalars("loss").values.tolist() == [1.0]
    assert summarize([run])[0].status == "finished"
    answer = run.ask("SELECT * FROM steps")
    assert answer.rows() == []
    assert "steps of" in answer.problems[1]


def test_names_that_are_no_utf_8_can_be_printed_and_asked(tmp_path: Path) -> None:
    odd = Unreadable("bad\udcff", "for a test")
    assert summarize([odd])[0].run == "bad\\udcff"
    assert ask(lambda: [odd], "SELECT run FROM runs").rows() == [("bad\\udcff",)]
    said: list[str] = []
    segment = Segment(tmp_path / "bad\udcff" / "000001.parquet", 1, 1, 1, 1, 1)
    assert whole([segment], said.append, last_try=True) == []
    assert "not UTF-8" in said[0]


def test_a_run_without_a_rank_is_shown_by_its_first_process(tmp_path: Path) -> None:
    with LogFile(tmp_path / "a" / "child-9.db") as log:
        log.log([1], loss=[1.0])
    run = open_runs(tmp_path)["a"]
    assert run.scalars("loss").values.tolist() == [1.0]
    assert line(tmp_path).ranks == 0
    with pytest.raises(KeyError, match="no rank 1"):
        run.scalars("loss", rank=1)


def test_notes_are_no_findings(tmp_path: Path) -> None:
    run = Run(tmp_path / "runs" / "a", "train.py", pytest.fail)
    shared = {"message": "m", "why": "w", "fix": "f", "file": "train.py", "step": 1, "count": 1, "evidence": {}}
    for number, severity in enumerate(("note", "warning", "error")):
        run.finding(number, {**shared, "rule": f"rule-{number}", "severity": severity, "line": number})
    run.close()
    (line,) = summarize(open_runs(tmp_path / "runs").load())
    assert (line.findings, line.errors) == (2, 1)


def test_parameters_are_told_in_the_order_of_the_model() -> None:
    series = [{"name": name} for name in ("grad_norm/b", "grad_norm/a", "loss", "param_norm/a")]
    ordered = [one["name"] for one in _in_order(series, {"a": 0, "b": 1})]
    assert ordered == ["loss", "grad_norm/a", "param_norm/a", "grad_norm/b"]
