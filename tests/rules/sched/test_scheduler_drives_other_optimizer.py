"""scheduler-drives-other-optimizer on hand-written facts."""

from surefoot.rules.sched.scheduler_drives_other_optimizer import check
from tests.rules.sched.build import MADE, ask, at_end, schedule, setup


def test_fires_when_another_optimizer_without_schedule_trains() -> None:
    found = ask(check, at_end(schedule(updates=0), updates=((2, 40),)), setup("SGD", "Adam"))
    assert [f.site for f in found] == [MADE]
    assert "SGD 1" in found[0].message and "Adam 2 did, 40 times" in found[0].message


def test_silent_when_its_own_optimizer_steps() -> None:
    assert ask(check, at_end(schedule(updates=1), updates=((1, 1), (2, 40)))) == []


def test_silent_when_the_other_optimizer_has_a_schedule_or_never_steps() -> None:
    other = schedule(updates=40, drives=(2,))
    assert ask(check, at_end(schedule(updates=0), other, updates=((2, 40),))) == []
    assert ask(check, at_end(schedule(updates=0), updates=())) == []


def test_silent_when_hardly_advanced_or_cut_short() -> None:
    assert ask(check, at_end(schedule(updates=0, count=1), updates=((2, 40),))) == []
    assert ask(check, at_end(schedule(updates=0), updates=((2, 40),), reason="interrupted")) == []
