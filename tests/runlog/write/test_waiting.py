"""Rows that wait for each other: few hand-overs where they come fast, none late, none lost, the order kept."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from surefoot.runlog.write import waiting
from surefoot.runlog.write.run import Run
from surefoot.runlog.write.tail import read_tail
from surefoot.runlog.write.waiting import PATIENCE_SECONDS, WaitingRows
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

    def __call__(self, step: int, values: Mapping[str, Any], time: float | None = None, *, more: bool = False) -> None:
        self.rows.append((step, time))
        self.num_goes += not more

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


def add_every(seconds: float, num: int, rows: WaitingRows, clock: Clock) -> Iterator[int]:
    """Yields the step of each row after it was added."""
    for step in range(num):
        rows.add(step, {"loss": 0.0})
        yield step
        clock.time += seconds


def test_slow_steps_do_not_wait(clock: Clock, taken: Taken, rows: WaitingRows) -> None:
    for step in add_every(PATIENCE_SECONDS * 1.1, 5, rows, clock):
        assert taken.steps[-1] == step


def test_slow_steps_of_several_rows_do_not_wait_either(clock: Clock, taken: Taken, rows: WaitingRows) -> None:
    for step in range(5):
        for _ in range(4):
            rows.add(step, {"loss": 0.0})
            clock.time += 0.001
        assert taken.steps.count(step) == 4
        clock.time += 3 * PATIENCE_SECONDS


def test_fast_steps_go_together_in_their_order(clock: Clock, taken: Taken, rows: WaitingRows) -> None:
    for _ in add_every(PATIENCE_SECONDS / 10, 100, rows, clock):
        pass
    assert 8 <= taken.num_goes <= 25
    before = taken.num_goes
    for _ in add_every(PATIENCE_SECONDS / 10, 100, rows, clock):
        pass
    assert 8 <= taken.num_goes - before <= 12
    rows.hand_over()
    assert taken.steps == [*range(100), *range(100)]


def test_no_row_waits_longer_than_the_patience(clock: Clock, taken: Taken, rows: WaitingRows) -> None:
    for step in add_every(PATIENCE_SECONDS / 7, 60, rows, clock):
        oldest = len(taken.steps)  # the first that is not handed over
        assert (step - oldest) * PATIENCE_SECONDS / 7 <= PATIENCE_SECONDS


def test_each_row_has_the_time_at_which_it_came(clock: Clock, taken: Taken, rows: WaitingRows) -> None:
    for _ in add_every(PATIENCE_SECONDS / 10, 4, rows, clock):
        pass
    rows.add(9, {"loss": 0.0}, time=77.0)
    rows.hand_over()
    assert [time for _, time in taken.rows] == pytest.approx([1000.0, 1000.01, 1000.02, 1000.03, 77.0])


def test_a_clock_that_is_set_back_holds_nothing_back(clock: Clock, taken: Taken, rows: WaitingRows) -> None:
    rows.add(0, {"loss": 0.0})
    clock.time += 0.001
    rows.add(1, {"loss": 0.0})
    clock.time -= 3600
    rows.add(2, {"loss": 0.0})
    assert taken.steps == [0, 1, 2]


def test_what_is_written_at_once_comes_after_what_waits(tmp_path: Path, clock: Clock) -> None:
    heard: list[tuple[tuple[str, ...], int]] = []
    with Run(tmp_path / "run", "x.py", print) as run:
        run.listen(lambda names, step, time, packed: heard.append((names, step)))
        for step in range(40):
            run.scalars_soon(step, {"loss": float(step)})
        assert len(heard) < 20
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
    with Run(tmp_path / "run", "x.py", print) as run:
        run.scalars(0, {"loss": 0.0})
        run.flush()
        tail = run._log._tail  # type: ignore[union-attr]
        writes: list[int] = []
        original = tail._write_waiting
        monkeypatch.setattr(tail, "_write_waiting", lambda: (writes.append(len(tail._waiting)), original())[1])
        for step in range(1, 9):
            run._waiting._rows.append((step, {"loss": 1.0}, 1e9 + step))
        tail._written_at = 0.0
        run._waiting.hand_over()
        assert writes == [8]
        assert [row[1] for row in read_tail(run._file, 0)][-8:] == list(range(1, 9))
