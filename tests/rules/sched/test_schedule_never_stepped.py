"""schedule-never-stepped on hand-written facts."""

from typing import Any

import pytest

from surefoot.rules.sched.schedule_never_stepped import check
from tests.rules.sched.build import ADVANCED, MADE, ask, at_end, epoch, schedule


def idle(**fields: Any) -> Any:
    return schedule(**{"count": 0, "site": None, **fields})


def test_fires_after_a_full_epoch_or_without_a_loader() -> None:
    assert [f.site for f in ask(check, at_end(idle()), epoch())] == [MADE]
    assert len(ask(check, at_end(idle()))) == 1
    assert len(ask(check, at_end(idle()), epoch(num_steps=0))) == 1, "an evaluation loader is no epoch"


def test_silent_inside_the_first_epoch_and_in_runs_cut_short() -> None:
    assert ask(check, at_end(idle()), epoch(complete=False)) == []
    assert ask(check, at_end(idle(), reason="raised"), epoch()) == []
    assert ask(check, at_end(idle(updates=2))) == []


@pytest.mark.parametrize("why", [{"count": 3}, {"in_branch": True}, {"updates": 0}])
def test_silent_when_it_is_advanced_or_was_not_due(why: dict[str, Any]) -> None:
    assert ask(check, at_end(idle(**why))) == []


def test_silent_when_another_schedule_of_the_optimizer_advances() -> None:
    assert ask(check, at_end(idle(), schedule(count=10))) == []
    assert len(ask(check, at_end(idle(), schedule(count=10, drives=(2,))))) == 1


def test_a_branch_counts_where_only_the_moment_was_missed() -> None:
    waiting = {"in_branch": True, "unreached_at": ADVANCED}
    assert [f.site for f in ask(check, at_end(idle(**waiting, unreachable=True)))] == [ADVANCED]
    (found,) = ask(check, at_end(idle(**waiting, length=40)))
    assert "never taken" in found.message
    assert ask(check, at_end(idle(**waiting, length=400))) == []
    assert ask(check, at_end(idle(**waiting))) == []
    assert ask(check, at_end(idle(in_branch=True, length=40))) == []
