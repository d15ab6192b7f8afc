"""The writer: what is handed over is committed, and trouble never reaches training."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from surefoot.facts import EndFacts, Record, SetupFacts, StepFacts
from surefoot.runlog.write import thread, write_queue
from surefoot.runlog.write.log import RunLog
from surefoot.runlog.write.store import Store
from tests.runlog.write.stored import ask, meta, scalars

RECORDS: list[Record] = [SetupFacts(at=0), StepFacts(at=1, index=1, optimizer=1, update=1), EndFacts(at=3, num_steps=2)]
FINDING = {
    "rule": "r", "severity": "error", "message": "m", "why": "w", "fix": "f", "file": None, "line": None, "step": 1,
    "count": 1, "evidence": {"a": 1},
}  # fmt: skip


def wait_until(happens: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 20
    while not happens():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def test_scalars_are_kept_by_name_and_step(tmp_path: Path) -> None:
    file = tmp_path / "run" / "rank-0.db"
    log = RunLog(file, {"script": "train.py"}, pytest.fail)
    for step in range(3):
        log.scalars(step, {"loss": 1 / (step + 1), "lr": 0.1})
    log.scalars(2, {"val/loss": 0.25}, time=1000.0)
    log.close()
    assert scalars(file) == {
        "loss": [(0, 1.0), (1, 0.5), (2, 1 / 3)], "lr": [(0, 0.1), (1, 0.1), (2, 0.1)], "val/loss": [(2, 0.25)],
    }  # fmt: skip
    assert ask(file, "SELECT count(*) FROM chunks WHERE num_steps = 3") == [(1,)]
    assert meta(file)["script"] == "train.py"
    assert meta(file)["writer"] == ""


@pytest.mark.filterwarnings("error")
def test_numbers_of_all_libraries_are_welcome(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)
    log.scalars(1, {"a": torch.tensor(1.5, requires_grad=True), "b": np.float32(0.5), "c": 3, "d": True})
    log.scalars(np.int64(2), {"a": 1.0, "b": torch.tensor([2.5]), "c": np.array([7]), "d": float("nan")})  # type: ignore[arg-type]
    log.close()
    found = scalars(tmp_path / "rank-0.db")
    assert (found["a"], found["b"], found["c"]) == ([(1, 1.5), (2, 1.0)], [(1, 0.5), (2, 2.5)], [(1, 3.0), (2, 7.0)])
    assert found["d"][0] == (1, 1.0) and found["d"][1][1] != found["d"][1][1]


@pytest.mark.parametrize(
    ("value", "told"),
    [("high", "'high'"), ("1.5", "'1.5'"), (None, "None"), (torch.ones(2), "Tensor of shape (2,)"), (1j, "1j"),
     ([1.0], "[1.0]"), (10**400, "1000000")],
)  # fmt: skip
def test_what_is_no_number_is_named(tmp_path: Path, value: Any, told: str) -> None:
    log = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)
    log.scalars(1, {"loss": 0.5, "acc": 0.5})
    with pytest.raises(TypeError) as error:
        log.scalars(2, {"loss": 0.5, "acc": value})
    assert told in str(error.value) and "'acc'" in str(error.value)
    with pytest.raises(TypeError, match="names of scalars are strings, got 3"):
        log.scalars(2, {3: 0.5})  # type: ignore[dict-item]
    log.close()
    assert scalars(tmp_path / "rank-0.db")["acc"] == [(1, 0.5)]


def test_text_that_has_no_bytes_in_utf_8_is_written_out(tmp_path: Path) -> None:
    odd = os.fsdecode(b"tr\xffin.py")
    log = RunLog(tmp_path / "rank-0.db", {"script": odd}, pytest.fail)
    log.scalars(1, {odd: 0.5, "loss": 0.25})
    log.event("stop", odd)
    log.close()
    assert meta(tmp_path / "rank-0.db")["script"] == "tr\\udcffin.py"
    assert scalars(tmp_path / "rank-0.db") == {"tr\\udcffin.py": [(1, 0.5)], "loss": [(1, 0.25)]}
    assert ask(tmp_path / "rank-0.db", "SELECT text FROM events") == [("tr\\udcffin.py",)]


def test_histograms_and_events(tmp_path: Path) -> None:
    file = tmp_path / "rank-0.db"
    log = RunLog(file, {}, pytest.fail)
    for step in (1, 2):
        log.hist(step, "fc.weight", [0.0, 0.5, 1.0], [step, 7])
    log.event("stop", "loss below 0.1", step=2)
    with pytest.raises(ValueError, match="2 counts lie between 3 edges, got 2 edges"):
        log.hist(3, "fc.weight", [0.0, 1.0], [1, 2])
    log.close()
    (edges,) = ask(file, "SELECT edges FROM edges")
    assert np.frombuffer(edges[0]).tolist() == [0.0, 0.5, 1.0]
    stored = ask(file, "SELECT step, counts, name FROM hists JOIN series ON series.id = hists.series ORDER BY hists.id")
    assert [(step, np.frombuffer(counts, "<i8").tolist(), name) for step, counts, name in stored] == [
        (1, [1, 7], "fc.weight"), (2, [2, 7], "fc.weight"),
    ]  # fmt: skip
    assert ask(file, "SELECT step, kind, text FROM events") == [(2, "stop", "loss below 0.1")]


def test_it_is_committed_while_the_run_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "rank-0.db"
    log = RunLog(file, {}, pytest.fail, later=lambda: {"git_commit": "abc"})
    log.scalars(1, {"loss": 0.5})
    wait_until(lambda: file.exists() and ask(file, "SELECT * FROM sqlite_master") and meta(file).get("git_commit"))
    assert scalars(file) == {"loss": [(1, 0.5)]}
    assert abs(float(meta(file)["beat"]) - time.time()) < 20
    log.close()


def test_a_flush_commits_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread, "COMMIT_SECONDS", 60.0)
    log = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)
    for step in range(3):
        log.scalars(step, {"loss": 0.5})
        assert log.flush()
        assert len(scalars(tmp_path / "rank-0.db")["loss"]) == step + 1
    log.close()
    assert not log.flush()


def test_signs_of_life_when_nothing_is_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread, "COMMIT_SECONDS", 0.01)
    monkeypatch.setattr(thread, "BEAT_SECONDS", 0.05)
    log = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)
    log.flush()
    first = meta(tmp_path / "rank-0.db")["beat"]
    wait_until(lambda: meta(tmp_path / "rank-0.db")["beat"] > first)
    log.close()


def test_a_kill_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    code = f"""
import time
from pathlib import Path
from surefoot.facts import StepFacts
from surefoot.runlog.write.log import RunLog
log = RunLog(Path({str(tmp_path / "rank-0.db")!r}), {{}}, print)
for i in range(100):
    log.record(StepFacts(at=i, index=i, optimizer=1, update=i))
    log.scalars(i, {{"loss": i}})
time.sleep(1.5)
print("ready", flush=True)
time.sleep(60)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert ask(tmp_path / "rank-0.db", "SELECT count(*) FROM records") == [(100,)]
    assert scalars(tmp_path / "rank-0.db") == {"loss": [(i, float(i)) for i in range(100)]}


def test_a_folder_that_cant_be_made_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file stands in the way")
    said: list[str] = []
    log = RunLog(tmp_path / "runs" / "run" / "rank-0.db", {}, said.append)
    wait_until(lambda: said)
    log.scalars(1, {"loss": 0.5})
    log.record(RECORDS[0])
    log.close()
    assert len(said) == 1
    assert "can't be written any more; training goes on" in said[0]


def test_a_folder_removed_in_mid_run_is_said_once(tmp_path: Path) -> None:
    said: list[str] = []
    log = RunLog(tmp_path / "run" / "rank-0.db", {}, said.append)
    assert log.flush()
    shutil.rmtree(tmp_path / "run")
    for step in range(3):
        log.scalars(step, {"loss": 0.5})
        assert not log.flush()
    log.close()
    assert len(said) == 1 and "is gone" in said[0]
    assert not (tmp_path / "run").exists()


def test_a_full_disk_is_said_once_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread, "RETRY_SECONDS", 0.0)
    add, is_full = Store._add_chunks, True

    def add_chunks(self: Store, layout: Any, rows: Any) -> None:
        add(self, layout, rows)
        if is_full:
            raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Store, "_add_chunks", add_chunks)
    said: list[str] = []
    log = RunLog(tmp_path / "rank-0.db", {}, said.append)
    for step in range(3):
        log.scalars(step, {"loss": 0.5})
        log.record(RECORDS[0])
        assert not log.flush()
    is_full = False
    assert log.flush()
    log.close()
    assert len(said) == 1
    assert "database or disk is full" in said[0]
    assert scalars(tmp_path / "rank-0.db") == {"loss": [(step, 0.5) for step in range(3)]}
    assert ask(tmp_path / "rank-0.db", "SELECT count(*) FROM records") == [(3,)]
    assert ask(tmp_path / "rank-0.db", "SELECT kind, text FROM events") == [("log-broken", "database or disk is full")]


def test_a_disk_that_stays_full_is_said_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    said: list[str] = []
    log = RunLog(tmp_path / "rank-0.db", {}, said.append)
    log.scalars(1, {"loss": 0.5})
    assert log.flush()
    monkeypatch.setattr(Store, "write", refuse)
    for step in range(2, 5):
        log.scalars(step, {"loss": 0.5})
    log.record(RECORDS[0])
    log.close()
    assert [text.partition("rank-0.db ")[2] for text in said] == [
        "can't be written at present; training goes on, and it is tried again. database or disk is full",
        "can't be written to the end: 3 rows and 1 other records that were logged last may be lost. "
        "database or disk is full",
    ]


def test_a_disk_that_lags_gets_less_but_all_of_the_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_queue, "MOST_BYTES", 100_000)
    monkeypatch.setattr(write_queue, "MOST_ORDERS", 55)  # five of them are the source around the findings
    monkeypatch.setattr(write_queue, "PATIENCE_SECONDS", 0.05)
    write = Store.write

    def slow(self: Store, *args: Any) -> None:
        nonlocal is_waiting
        is_waiting = True
        wait_until(lambda: is_fast)
        write(self, *args)

    is_fast = is_waiting = False
    monkeypatch.setattr(Store, "write", slow)
    said: list[str] = []
    log = RunLog(tmp_path / "rank-0.db", {}, said.append)
    wait_until(lambda: is_waiting)
    for step in range(5000):
        if step % 1000 == 0:
            log.finding(step // 1000, {**FINDING, "step": step})
        log.scalars(step, {"loss": float(step)})
        assert len(log._write_queue.rows) < 2000
    for _ in range(100):
        log.record(RECORDS[0])
    is_fast = True
    log.close()
    steps = [step for step, _ in scalars(tmp_path / "rank-0.db")["loss"]]
    assert {0, 1000, 2000, 3000, 4000} <= set(steps)
    assert len(steps) == len(set(steps)) < 2000
    assert ask(tmp_path / "rank-0.db", "SELECT count(*) FROM findings") == [(5,)]
    assert 40 < ask(tmp_path / "rank-0.db", "SELECT count(*) FROM records")[0][0] <= 60
    assert len(said) == 1 and "dropped" in said[0]
    dropped = ask(tmp_path / "rank-0.db", "SELECT text FROM events WHERE kind = 'dropped'")
    num_records = ask(tmp_path / "rank-0.db", "SELECT count(*) FROM records")[0][0]
    assert sum(int(text.split()[0]) for (text,) in dropped) == 5000 - len(steps) + 100 - num_records


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_fork_writes_nothing(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)
    child = os.fork()
    if child == 0:
        log.record(RECORDS[0])
        log.scalars(1, {"loss": 0.5})
        log.flush()
        log.close()
        os._exit(0)
    os.waitpid(child, 0)
    log.close()
    assert ask(tmp_path / "rank-0.db", "SELECT count(*) FROM records") == [(0,)]
    assert scalars(tmp_path / "rank-0.db") == {}


@pytest.mark.no_cover  # coverage has a lock of its own, which the handler may find taken by what it interrupts
def test_a_signal_handler_may_log_too(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)
    num_signals = 0
    is_handling = False

    def handle(*_: Any) -> None:
        nonlocal num_signals, is_handling
        if not is_handling and num_signals < 50:  # on a busy machine they come faster than they are handled
            is_handling = True
            num_signals += 1
            log.scalars(num_signals, {"signals": 1.0})
            assert log.flush(60.0), "the writer waits for what the handler has interrupted"
            is_handling = False

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
    try:
        num_steps = 0
        while num_steps < 1000 or num_signals < 4:
            log.scalars(num_steps, {"loss": 0.5})
            if num_steps % 100 == 0:
                log.flush()
            num_steps += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    log.close()
    found = scalars(tmp_path / "rank-0.db")
    assert (len(found["loss"]), len(found["signals"])) == (num_steps, num_signals)


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    said: list[str] = []
    log = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)
    log.flush()
    second = RunLog(tmp_path / "rank-0.db", {"script": "other.py"}, said.append)
    second.scalars(1, {"loss": 99.0})
    assert not second.flush()
    second.close()
    assert len(said) == 1
    assert f"process {os.getpid()}" in said[0] and "a file has one writer. Log to another folder" in said[0]
    log.scalars(1, {"loss": 0.5})
    log.close()
    assert scalars(tmp_path / "rank-0.db") == {"loss": [(1, 0.5)]}
    assert "script" not in meta(tmp_path / "rank-0.db")
    third = RunLog(tmp_path / "rank-0.db", {}, pytest.fail)  # nobody writes it any more
    third.scalars(2, {"loss": 0.25})
    third.close()
    assert scalars(tmp_path / "rank-0.db") == {"loss": [(1, 0.5), (2, 0.25)]}


def test_a_file_of_another_version_is_not_written(tmp_path: Path) -> None:
    RunLog(tmp_path / "rank-0.db", {}, pytest.fail).close()
    connection = sqlite3.connect(tmp_path / "rank-0.db")
    connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")
    connection.commit()
    connection.close()
    said: list[str] = []
    RunLog(tmp_path / "rank-0.db", {}, said.append).close()
    assert len(said) == 1 and "schema version 99, this surefoot writes 2" in said[0]
