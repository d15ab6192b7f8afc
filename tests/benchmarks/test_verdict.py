"""The verdict on the end of a loss is as often right as it says, on stored curves of real trainings."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.verdict.catalogue import STATING, TRAININGS, TUNING
from benchmarks.verdict.curves import FILE, key, read, write
from benchmarks.verdict.page import PAGE, page
from benchmarks.verdict.schedule import Schedule, cosine, linear, one_cycle, rates
from benchmarks.verdict.score import Case, cases, tally
from benchmarks.verdict.train import lengths

from surefoot.report.convergence.calibration import RIGHT


@pytest.fixture(scope="module")
def judged() -> list[Case]:
    return cases()


def test_what_a_run_is_told_is_what_was_counted(judged: list[Case]) -> None:
    assert tally(case for case in judged if not case.tunes) == RIGHT
    for right, given in RIGHT.values():
        assert given >= 20 and right >= 0.9 * given


def test_the_page_is_of_these_curves(judged: list[Case]) -> None:
    assert PAGE.read_text() == page(judged)


def test_no_training_both_tunes_and_states(judged: list[Case]) -> None:
    names = [training.name for training in TRAININGS]
    assert len(set(names)) == len(names)
    assert len(TUNING) >= 40 and len(STATING) >= 40
    assert {case.tunes for case in judged} == {True, False}


def test_every_run_is_stored_in_a_small_file() -> None:
    assert FILE.stat().st_size < 600_000
    stored = read()
    assert {name: len(losses) for name, losses in stored.items()} == {
        key(training.name, num): num for training in TRAININGS for num in lengths(training)
    }


def test_writing_and_reading(tmp_path: Path) -> None:
    curves = {"a": np.geomspace(1e-6, 200, 50), "b": np.array([-3.0, 0.0, 0.5])}
    write(curves, tmp_path / "curves.npz")
    back = read(tmp_path / "curves.npz")
    assert list(back) == ["a", "b"]
    for name, losses in curves.items():
        np.testing.assert_allclose(back[name], losses, rtol=2.5e-3)


@pytest.mark.parametrize("schedule", [cosine, linear, one_cycle])
def test_schedules_end_at_zero(schedule: Schedule) -> None:
    found = rates(schedule, 0.1, 100)
    assert max(found) == pytest.approx(0.1, rel=0.04) and found[-1] < 0.002
