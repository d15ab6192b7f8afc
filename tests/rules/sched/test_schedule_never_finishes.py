"""schedule-never-finishes on hand-written facts."""

from dataclasses import replace

import pytest

from surefoot.rules.sched.schedule_never_finishes import check
from tests.rules.sched.build import ADVANCED, MADE, ask, at_end, schedule


def test_length_in_steps_but_advanced_per_epoch_names_the_advance() -> None:
    found = ask(check, at_end(schedule("OneCycleLR", length=40, count=4, may_stop_early=True, planned=5)))
    assert [f.site for f in found] == [ADVANCED]
    assert "40 steps" in found[0].message


def test_length_for_a_longer_run_names_the_scheduler() -> None:
    assert [f.site for f in ask(check, at_end(schedule("CosineAnnealingLR", length=1000)))] == [MADE]


@pytest.mark.parametrize(
    "why",
    [
        {"may_stop_early": True},
        {"may_stop_early": True, "planned": 1000},
        {"may_stop_early": True, "planned": 900, "count": 100, "updates": 1000},
        {"by_library": True, "updates": 1100, "count": 10},
        {"explicit": True},
        {"position": 600},
        {"updates": 0},
    ],
)
def test_silent_when_the_run_may_have_been_cut_short_or_resumed(why: dict[str, int]) -> None:
    assert ask(check, at_end(schedule("CosineAnnealingLR", length=1000, **why))) == []


def test_a_trainer_of_a_library_that_advances_per_epoch_what_counts_steps() -> None:
    facts = schedule("OneCycleLR", length=40, count=4, may_stop_early=True, by_library=True)
    assert [f.site for f in ask(check, at_end(facts))] == [ADVANCED]


@pytest.mark.parametrize("reason", ["raised", "interrupted", "max-steps", "stopped"])
def test_silent_when_the_run_did_not_end_by_itself(reason: str) -> None:
    assert ask(check, at_end(schedule("CosineAnnealingLR", length=1000), reason=reason)) == []


def test_silent_for_constant_unknown_and_nearly_finished_schedules() -> None:
    assert ask(check, at_end(schedule("ConstantLR", length=1000))) == []
    assert ask(check, at_end(schedule("LambdaLR"))) == []
    assert ask(check, at_end(schedule("CosineAnnealingLR", length=60))) == []
    assert ask(check, at_end(schedule("CosineAnnealingLR", length=1000, count=0))) == []


def test_milestones_count_as_unfinished_only_before_the_first() -> None:
    assert len(ask(check, at_end(schedule("MultiStepLR", ("milestone", 300), ("milestone", 800), length=800)))) == 1
    assert ask(check, at_end(schedule("MultiStepLR", ("milestone", 30), ("milestone", 800), length=800))) == []


def test_silent_about_a_schedule_that_a_later_one_took_over() -> None:
    first = schedule("CosineAnnealingLR", length=1000, position=40, count=40)
    later = schedule("CosineAnnealingLR", length=1000, position=1000, count=960, resumed=True)
    later = replace(later, made=replace(later.made, id=later.made.id + 1))
    assert ask(check, at_end(first, later)) == []
    assert len(ask(check, at_end(first, replace(later, resumed=False)))) == 1
    assert len(ask(check, at_end(first, replace(later, count=900)))) == 1  # loaded from another run
