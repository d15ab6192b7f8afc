"""scheduler-before-optimizer on hand-written facts."""

import pytest

from surefoot.rules.sched.scheduler_before_optimizer import check
from tests.rules.sched.build import ADVANCED, ask, at_step, schedule


@pytest.mark.parametrize("opening", [(0, 10), (0, 10, 20), (0, 1, 2), (0, 1, 5)])
def test_fires_when_its_line_comes_first_in_every_round(opening: tuple[int, ...]) -> None:
    found = ask(check, at_step(schedule(opening=opening, before_all_steps=True)))
    assert [f.site for f in found] == [ADVANCED]
    assert "StepLR" in found[0].message


@pytest.mark.parametrize("opening", [(), (0,), (0, 1), (1, 2, 3), (10, 20, 30), (0, 0, 0), (0, 0, 1), (0, 1, 1)])
def test_silent_before_it_is_sure_and_when_micro_batches_advance_it(opening: tuple[int, ...]) -> None:
    assert ask(check, at_step(schedule(opening=opening, before_all_steps=True))) == []


def test_silent_for_a_plateau_that_is_fed_a_first_validation() -> None:
    assert ask(check, at_step(schedule("ReduceLROnPlateau", opening=(0, 10, 20), before_all_steps=True))) == []


@pytest.mark.parametrize("why", [{"resumed": True}, {"explicit": True}, {"before_all_steps": False}])
def test_silent_when_the_run_was_under_way(why: dict[str, bool]) -> None:
    assert ask(check, at_step(schedule(opening=(0, 10, 20), **{"before_all_steps": True, **why}))) == []
