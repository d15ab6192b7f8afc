"""Rows that wait for each other: few hand-overs, none lost, the order kept."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from surefoot.runlog.write import waiting
from surefoot.runlog.write.run import Run
from surefoot.runlog.write.waiting import Waiting, WaitingRows
from surefoot.runlog.write.write_ahead_format import read_write_ahead
from tests.runlog.write.stored import scalars


class Clock:
    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


class Taken:
    """What was handed over: steps, with the times of their rows; and in how many goes."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, float | None]] = []
        self.num_goes = 0

    def __call__(self, rows: Iterator[Waiting]) -> None:
        self.rows += [(step, time) for step, _, time in rows]
        self.num_goes += 1

    @property
    def steps(self) -> list[int]:
        return [step for step, _ in self.rows]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(waiting, "now", made)
    return made


@pytest.fixture
def taken() -> Taken:
    return Taken()


@pytest.fixture
def rows(taken: Taken) -> WaitingRows:
    return WaitingRows(taken)


def test_rows_go_together_in_their_order(taken: Taken, rows: WaitingRows) -> None:
    for step in range(100):
        rows.add(step, {"loss": 0.0})
    assert taken.rows == []
    rows.hand_over()
    assert (taken.steps, taken.num_goes) == (list(range(100)), 1)


def test_many_rows_do_not_wait_for_a_sweep_that_is_late(taken: Taken, rows: WaitingRows) -> None:
    for step in range(waiting.MANY):
        rows.add(step, {"loss": 0.0})
    assert taken.steps == list(range(waiting.MANY))


def test_threads_that_hand_over_at_once_keep_the_order(taken: Taken, rows: WaitingRows) -> None:
    with ThreadPoolExecutor(4) as pool:
        for step in range(2000):
            rows.add(step, {"loss": 0.0})
            pool.submit(rows.hand_over)
    rows.hand_over()
    assert taken.steps == list(range(2000))


def test_the_end_waits_for_rows_that_another_thread_has_taken() -> None:
    taken, may_go_on = threading.Event(), threading.Event()
    written: list[int] = []

    def slow(rows: Iterator[Waiting]) -> None:
        steps = [step for step, _, _ in rows]
        if steps:
            taken.set()
            may_go_on.wait(60.0)
        written.extend(steps)

    rows = WaitingRows(slow)
    rows.add(1, {"loss": 0.0})
    with ThreadPoolExecutor(2) as pool:
        pool.submit(rows.hand_over)
        taken.wait(60.0)
        end = pool.submit(rows.hand_over, 60.0)
        assert not written and not end.done()
        may_go_on.set()
        end.result(60.0)
        assert written == [1]


def test_each_row_has_the_time_at_which_it_came(clock: Clock, taken: Taken, rows: WaitingRows) -> None:
    for step in range(4):
        rows.add(step, {"loss": 0.0})
        clock.time += 0.01
    rows.add(9, {"loss": 0.0}, time=77.0)
    rows.hand_over()
    assert [time for _, time in taken.rows] == pytest.approx([1000.0, 1000.01, 1000.02, 1000.03, 77.0])


def test_what_is_written_at_once_comes_after_what_waits(tmp_path: Path, clock: Clock) -> None:
    heard: list[tuple[tuple[str, ...], int]] = []
    with Run(tmp_path / "run", "x.py", print) as run:
        run.listen(lambda names, step, time, packed: heard.append((names, step)))
        for step in range(40):
            run.scalars_soon(step, {"loss": float(step)})
        run.scalars(39, {"val/loss": 7.0})
        run.scalars_soon(40, {"loss": 40.0})
        assert heard[-2:] == [(("loss",), 39), (("val/loss",), 39)]
    assert [step for names, step in heard if names == ("loss",)] == list(range(41))
    assert scalars(run._file)["loss"] == [(step, float(step)) for step in range(41)]


def test_flushing_writes_what_waits(tmp_path: Path, clock: Clock) -> None:
    with Run(tmp_path / "run", "x.py", print) as run:
        for step in range(40):
            run.scalars_soon(step, {"loss": float(step)})
        run.flush()
        assert len(scalars(run._file)["loss"]) == 40


def test_rows_that_come_together_are_one_write_to_the_tail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.runlog.write.write_ahead.SWEEP_SECONDS", 60.0)
    with Run(tmp_path / "run", "x.py", print) as run:
        run.scalars(0, {"loss": 0.0})
        run.flush()
        write_ahead = run._log._write_ahead  # type: ignore[union-attr]
        writes: list[int] = []
        original = write_ahead._append
        monkeypatch.setattr(write_ahead, "_append", lambda records: (writes.append(len(records)), original(records))[1])
        for step in range(1, 9):
            run._waiting._rows.append((step, {"loss": 1.0}, 1e9 + step))
        write_ahead._written_at = 0.0
        run._waiting.hand_over()
        assert 8 in writes
        assert [row[1] for row in read_write_ahead(run._file).rows.values()][-8:] == list(range(1, 9))
