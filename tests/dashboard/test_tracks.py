"""Series in memory: whatever way they came there, charts show the same."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from surefoot.dashboard.data import track, tracks
from surefoot.dashboard.data.charts import EVER, charts
from surefoot.dashboard.data.encode import plain
from surefoot.dashboard.data.sealed import cell_width
from surefoot.dashboard.data.track import Cells, Track
from surefoot.dashboard.data.tracks import Memory, Tracks, known_series
from surefoot.runlog.read import read_process
from surefoot.runlog.read.column import Column
from surefoot.runlog.read.segment import Part
from surefoot.runlog.read.series import Series
from tests.runlog.making import LogFile

NUM = 800


def values(seed: int) -> list[float]:
    found = np.random.default_rng(seed).normal(size=NUM)
    found[[700, 701]] = math.nan, math.inf
    found[:128] = -math.inf if seed else 1.0
    return [float(value) for value in found]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Series of some hundred rows are long."""
    monkeypatch.setattr(track, "WHOLE_ROWS", 150)
    monkeypatch.setattr(tracks, "WHOLE_ROWS", 150)


def read(tracks: Tracks, num: int = 10, first: int = -EVER, last: int = EVER) -> dict[str, Cells]:
    _, found = tracks.read(known_series(tracks.process), first, last, num)
    return {series.name: cells for series, (cells, _) in found.items()}


def expected(numbers: list[float], cells: Cells) -> None:
    """Nothing between the first and the last step of a bucket is hidden, and nothing is there twice."""
    assert cells.first_steps[0] == 1 and cells.steps[-1] == NUM
    assert (cells.first_steps[1:] == cells.steps[:-1] + 1).all()
    for i in range(len(cells)):
        part = np.array(numbers[cells.first_steps[i] - 1 : cells.steps[i]])
        finite = part[np.isfinite(part)]
        assert cells.counts[i] == len(part)
        assert cells.odd[i] == len(part) - len(finite)
        assert np.array_equal(cells.lasts[i], part[-1], equal_nan=True)
        if len(finite):
            assert (cells.lows[i], cells.highs[i]) == (finite.min(), finite.max())
        else:
            assert math.isnan(cells.lows[i]) and math.isnan(cells.highs[i])


@pytest.mark.parametrize("num_seals", [0, 1, 3])
def test_the_same_sealed_or_not(tmp_path: Path, small: None, num_seals: int) -> None:
    numbers = {"a": values(0), "b": values(1)}
    with LogFile(tmp_path / "rank-0.db") as file:
        for start in range(0, NUM, NUM // 4):
            part = {name: some[start : start + NUM // 4] for name, some in numbers.items()}
            file.log(range(start + 1, start + 1 + NUM // 4), size=50, **part)
            if num_seals > start // (NUM // 4):
                file.seal()
    process = read_process(tmp_path / "rank-0.db")
    for num in (5, 12, 60):
        for name, cells in read(Tracks(process), num).items():
            assert num // 2 <= len(cells) <= num
            expected(numbers[name], cells)
    part = read(Tracks(process), 40, 201, 700)["b"]
    assert (int(part.counts.sum()), part.first_steps[0], part.steps[-1]) == (500, 201, 700)
    some = np.array(numbers["b"][200:700])
    assert (part.lows.min(), part.highs.max()) == (some.min(), some.max())
    exact = read(Tracks(process), 100, 690, 710)["a"]
    assert exact.steps.tolist() == list(range(690, 711))
    assert np.array_equal(exact.lasts, numbers["a"][689:710], equal_nan=True)


def test_only_what_is_new_is_read(tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = {"a": values(0)}
    with LogFile(tmp_path / "rank-0.db") as file:
        process = read_process(file.file)
        kept = Tracks(process)
        asked: list[int] = []
        read_on = Tracks._read_on

        def noted(self: Tracks, wanted: Sequence[Series], part: Part) -> None:
            asked.append(part.after)
            read_on(self, wanted, part)

        monkeypatch.setattr(Tracks, "_read_on", noted)
        for start in range(0, NUM, 100):
            file.log(range(start + 1, start + 101), size=50, a=numbers["a"][start : start + 100])
            if start == 400:
                file.seal()
            if start in (0, 200, 300):
                read(kept, 5)
        expected(numbers["a"], read(kept, 5)["a"])
    assert asked == [0, 2, 6, 8], "nothing was read twice"
    assert len(kept.by_series[1]) == NUM


def test_steps_that_come_late_are_put_in_order(tmp_path: Path) -> None:
    with LogFile(tmp_path / "rank-0.db") as file:
        kept = Tracks(read_process(file.file))
        file.log([1, 2, 9, 10], a=[1.0, 2.0, 9.0, 10.0])
        assert read(kept)["a"].lasts.tolist() == [1, 2, 9, 10]
        file.log([5, 11], a=[5.0, 11.0])
        assert read(kept)["a"].lasts.tolist() == [1, 2, 5, 9, 10, 11]


def test_marks_of_what_is_not_finite_are_spread(tmp_path: Path) -> None:
    with LogFile(tmp_path / "rank-0.db") as file:
        file.log(range(1, 1001), a=[math.nan] * 1000)
    (a,) = plain(charts(read_process(file.file), Memory(), ["a"], None, None, 50))["series"]
    assert a["num_nonfinite"] == 1000 and len(a["nonfinite"]) == 200
    assert (a["nonfinite"][0]["step"], a["nonfinite"][-1]["step"]) == (1, 1000)
    assert set(a["lows"]) == {None} and set(a["lasts"]) == {"NaN"}


def test_a_damaged_segment_hides_nothing_else(tmp_path: Path, small: None) -> None:
    with LogFile(tmp_path / "rank-0.db") as file:
        file.log(range(1, 401), size=100, a=[1.0] * 400)
        bad = file.seal()
        file.log(range(401, NUM + 1), size=100, a=[2.0] * 400)
        file.seal()
    content = bad.read_bytes()
    bad.write_bytes(content[:4] + b"\0" * (len(content) - 8) + content[-4:])
    process = read_process(file.file)
    assert int(read(Tracks(process))["a"].counts.sum()) == 400
    assert "damaged" in process.problems[0]


def test_what_takes_too_much_is_forgotten(tmp_path: Path) -> None:
    processes = []
    for name in "abc":
        with LogFile(tmp_path / name / "rank-0.db") as file:
            file.log(range(1, 101), a=[1.0] * 100, b=[2.0] * 100)
        processes.append(read_process(file.file))
    memory = Memory(most_bytes=3000)
    first = memory.of(processes[0])
    read(first)
    assert memory.of(processes[0]) is first and len(first.by_series) == 1, "the one of its two that was used last"
    second = memory.of(processes[1])
    read(second)
    assert memory.of(processes[0]) is first and memory.of(processes[1]) is not second


def test_cells_of_series_that_are_seldom_logged_are_wider() -> None:
    assert [cell_width(1000, rows) for rows in (1000, 2000, 100, 0)] == [64, 64, 1024, 65_536]
    assert cell_width(1_000_000, 1_000_000) == 128, "a long series has wider ones, too"


def test_equal_steps_stay_together() -> None:
    one = Track()
    steps = np.array([1, 1, 1, 2, 2, 3], np.int64)
    one.extend(Column(steps, steps.astype(float), np.arange(6.0)))
    cells = one.cells(1, 3, 3)
    assert cells is not None
    assert (cells.steps.tolist(), cells.counts.tolist(), cells.lasts.tolist()) == ([1, 2, 3], [3, 2, 1], [2, 4, 5])
