"""epoch-schedule-stepped-per-batch on hand-written facts."""

from dataclasses import replace
from typing import Any

import pytest

from surefoot.facts import ScheduleFacts
from surefoot.rules.sched.epoch_schedule_stepped_per_batch import check
from tests.rules.sched.build import ADVANCED, ask, at_end, at_step, schedule


def per_batch(builtin: str, *settings: tuple[str, float], **fields: Any) -> ScheduleFacts:
    """Four epochs of ten batches, each of which advanced it."""
    fields = {"epochs": 4, "in_epochs": 40, "most_in_epoch": 10, "epoch_length": 10, **fields}
    return schedule(builtin, *settings, **fields)


def step_schedule(step_size: int, gamma: float, **fields: Any) -> ScheduleFacts:
    cut = gamma ** -(40 // step_size)
    return per_batch("StepLR", ("step_size", step_size), ("gamma", gamma), **{"cut": cut, **fields})


def test_fires_within_the_epoch_in_which_the_rate_dies() -> None:
    found = ask(check, at_step(step_schedule(1, 0.1, cut_in_epoch_at=3, count=3, updates=3, in_epochs=3)))
    assert [f.site for f in found] == [ADVANCED]


def test_fires_when_the_rate_died_in_an_epoch_early_in_the_run() -> None:
    late = step_schedule(
        10, 0.1, epoch_length=50, most_in_epoch=50, cut_in_epoch_at=30, cut_at=30, count=60, updates=60
    )
    assert len(ask(check, at_step(replace(late, in_epochs=60, epochs=2)))) == 1
    assert ask(check, at_step(replace(late, in_epochs=50, epochs=1))) == []
    assert ask(check, at_step(replace(late, in_epochs=50, count=50, epochs=2))) == []


def test_silent_when_the_rate_dies_late_in_the_epoch_or_its_length_is_unknown() -> None:
    assert ask(check, at_step(step_schedule(2, 0.1, cut_at=26, cut_in_epoch_at=6))) == []
    assert ask(check, at_step(step_schedule(2, 0.1, cut_at=23, cut_in_epoch_at=3, epoch_length=None))) == []


@pytest.mark.parametrize(("step_size", "gamma", "cut_at"), [(2, 0.5, 20), (3, 0.1, 9), (4, 0.1, 12), (2, 0.3, 12)])
def test_fires_at_the_end_when_the_settings_fit_epochs(step_size: int, gamma: float, cut_at: int) -> None:
    facts = step_schedule(step_size, gamma, cut_at=cut_at)
    assert ask(check, at_step(facts)) == []
    assert len(ask(check, at_end(facts))) == 1


@pytest.mark.parametrize(
    ("step_size", "gamma"),
    [(10, 0.5), (20, 0.1), (15, 0.5), (4, 0.9), (5, 0.1)],  # whole epochs, beyond all epochs, gentle, more than all
)
def test_silent_when_the_settings_count_batches(step_size: int, gamma: float) -> None:
    assert ask(check, at_end(step_schedule(step_size, gamma))) == []


def test_milestones_that_fit_epochs_but_are_used_up_in_the_first() -> None:
    settings = (("gamma", 0.1), ("milestone", 2.0), ("milestone", 4.0))
    assert len(ask(check, at_end(per_batch("MultiStepLR", *settings, cut=100.0)))) == 1
    in_iterations = (("gamma", 0.1), ("milestone", 20.0), ("milestone", 30.0), ("milestone", 36.0))
    assert ask(check, at_end(per_batch("MultiStepLR", *in_iterations, cut=1000.0, cut_at=36))) == []


def test_exponential_decay() -> None:
    assert len(ask(check, at_end(per_batch("ExponentialLR", ("gamma", 0.5), cut=2.0**40, cut_at=10)))) == 1
    assert ask(check, at_end(per_batch("ExponentialLR", ("gamma", 0.95), cut=7.8))) == []


def test_silent_for_schedules_advanced_per_epoch_or_with_the_epoch_given() -> None:
    dead = {"cut": 1e6, "cut_at": 3}
    assert ask(check, at_end(step_schedule(1, 0.1, **dead, count=4, in_epochs=4, most_in_epoch=1))) == []
    assert ask(check, at_end(step_schedule(1, 0.1, **dead, in_epochs=0, most_in_epoch=0, epochs=0))) == []
    assert ask(check, at_end(step_schedule(2, 0.5, cut_at=20, explicit=True))) == []
    windows = {"micro_batch_windows": 9, "per_window": 4, "updates": 10}
    assert ask(check, at_end(step_schedule(2, 0.5, cut_at=20, **windows))) == [], "told by another rule"
    assert ask(check, at_end(per_batch("CyclicLR", ("gamma", 0.5), cut=1e6, cut_at=2, cut_in_epoch_at=2))) == []


def test_a_run_of_fewer_epochs_than_the_step_size() -> None:
    assert len(ask(check, at_end(step_schedule(6, 0.1, cut_at=18)))) == 1
    assert ask(check, at_end(step_schedule(9, 0.1, cut_at=27))) == []


def test_schedules_whose_settings_can_not_be_read_are_told_by_their_course() -> None:
    dying = {"cut": 1e8, "cut_at": 15}
    for kind in ("LambdaLR", "MultiplicativeLR", "ChainedScheduler", "SequentialLR"):
        (found,) = ask(check, at_end(per_batch(kind, **dying)))
        assert "cut_in_epochs" not in found.numbers
    for why in ({"cut": 1e4}, {"cut_at": 30}, {"epochs": 1}, {"lrs": (0.0,)}):
        assert ask(check, at_end(per_batch("LambdaLR", **{**dying, **why}))) == []
    assert ask(check, at_step(per_batch("LambdaLR", **dying))) == []


def test_a_plateau_is_judged_by_the_epoch_in_which_its_rate_dies() -> None:
    plateau = per_batch("ReduceLROnPlateau", cut=2000.0, cut_at=18, cut_in_epoch_at=8)
    assert len(ask(check, at_end(plateau))) == 1
    assert ask(check, at_end(per_batch("ReduceLROnPlateau", cut=2000.0, cut_at=18))) == []
    assert ask(check, at_end(per_batch("ReduceLROnPlateau", cut=500.0))) == []
