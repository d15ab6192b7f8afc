"""scheduler-drives-other-optimizer on hand-written facts."""

from dataclasses import replace

from surefoot.facts import ParameterFacts, SetupFacts, Site
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


STEPPED = ((1, 40), (2, 40))
FIRST = schedule("StepLR", ("step_size", 30.0), ("gamma", 0.1))
SECOND = replace(FIRST, made=replace(FIRST.made, id=2, site=Site("train.py", 6)))


def test_fires_when_two_equal_schedules_drive_one_optimizer_and_none_the_other() -> None:
    (evidence,) = ask(check, at_end(FIRST, SECOND, updates=STEPPED), setup("Adam", "SGD"))
    assert evidence.site == Site("train.py", 6)
    assert evidence.message == (
        "two equal StepLR drive the same optimizer (Adam 1), each advanced 40 times, while SGD 2 steps 40 times "
        "without a schedule"
    )


def test_silent_when_schedules_of_one_optimizer_differ_or_the_other_does_not_step() -> None:
    warm_up = schedule("LinearLR", ("total_iters", 5.0))
    rarer = replace(SECOND, count=39)
    slower = replace(SECOND, made=replace(SECOND.made, settings=(("step_size", 60.0), ("gamma", 0.1))))
    unknown = [replace(s, made=replace(s.made, settings=())) for s in (FIRST, SECOND)]
    for pair in ([FIRST, warm_up], [FIRST, rarer], [FIRST, slower], unknown):
        assert ask(check, at_end(*pair, updates=STEPPED), setup("Adam", "SGD")) == []
    assert ask(check, at_end(FIRST, SECOND, updates=((1, 40),)), setup("Adam")) == []
    assert ask(check, at_end(FIRST, SECOND, updates=STEPPED, reason="interrupted"), setup("Adam", "SGD")) == []


def shared(*optimizers: int) -> SetupFacts:
    return replace(setup("SGD", "SGD"), parameters=(ParameterFacts("weight", 1, optimizers=optimizers),))


def test_warns_when_another_optimizer_has_taken_over_its_parameters() -> None:
    left = at_end(schedule(updates=48, since_step=8), updates=((1, 48), (2, 90)))
    (evidence,) = ask(check, left, shared(1, 2))
    assert evidence.level == "warning" and "8 times after the last step of its optimizer (SGD 1)" in evidence.message
    assert "SGD 2, which holds parameters of that one, has no schedule" in evidence.message


def test_silent_when_another_optimizer_trains_other_parameters_or_the_schedule_ended_with_its_own() -> None:
    left = at_end(schedule(updates=48, since_step=8), updates=((1, 48), (2, 90)))
    assert ask(check, left, shared(1)) == []
    assert ask(check, at_end(schedule(updates=48, since_step=1), updates=((1, 48), (2, 90))), shared(1, 2)) == []
