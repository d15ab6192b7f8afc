"""schedule-counts-micro-batches on hand-written facts."""

from typing import Any

import pytest

from surefoot.rules.sched.schedule_counts_micro_batches import check
from tests.rules.sched.build import ADVANCED, ask, at_end, at_step, schedule

WINDOWS = {"micro_batch_windows": 9, "per_window": 4, "updates": 10}


def test_fires_while_the_run_goes_on() -> None:
    found = ask(check, at_step(schedule("ExponentialLR", micro_batch_windows=3, per_window=4, count=15, updates=4)))
    assert [f.site for f in found] == [ADVANCED]
    assert "4 times per optimizer step" in found[0].message


@pytest.mark.parametrize(
    "why",
    [{"micro_batch_windows": 2}, {"other_windows": 1}, {"explicit": True}, {"by_library": True}],
)
def test_silent_when_it_is_not_every_micro_batch_of_the_program(why: dict[str, Any]) -> None:
    assert ask(check, at_end(schedule("StepLR", **{**WINDOWS, **why}))) == []


def test_a_known_length_must_have_been_passed() -> None:
    assert len(ask(check, at_step(schedule("CosineAnnealingLR", length=10, **WINDOWS)))) == 1
    assert ask(check, at_end(schedule("CosineAnnealingLR", length=40, **WINDOWS))) == []
    assert ask(check, at_end(schedule("OneCycleLR", length=42, **WINDOWS))) == []
    assert len(ask(check, at_step(schedule("LinearLR", length=100, **WINDOWS)))) == 1, "a warm-up"


@pytest.mark.parametrize("builtin", ["LambdaLR", ""])
def test_rates_that_the_program_computes_are_judged_at_the_end(builtin: str) -> None:
    assert ask(check, at_step(schedule(builtin, **WINDOWS))) == []
    assert len(ask(check, at_end(schedule(builtin, **WINDOWS)))) == 1
    assert len(ask(check, at_end(schedule(builtin, low_at=10, **WINDOWS)))) == 1
    assert ask(check, at_end(schedule(builtin, low_at=36, **WINDOWS))) == []


def test_silent_for_a_plateau() -> None:
    assert ask(check, at_end(schedule("ReduceLROnPlateau", **WINDOWS))) == []
