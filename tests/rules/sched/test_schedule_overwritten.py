"""schedule-overwritten on hand-written facts."""

from surefoot.rules.sched.schedule_overwritten import check
from tests.rules.sched.build import ADVANCED, ask, at_end, schedule


def test_notes_a_rate_that_others_set_up_to_the_end() -> None:
    assert [f.site for f in ask(check, at_end(schedule(looked=40, overwritten=30, overwritten_last=True)))] == [
        ADVANCED
    ]


def test_silent_for_a_warm_up_and_for_rare_changes() -> None:
    assert ask(check, at_end(schedule(looked=40, overwritten=30, overwritten_last=False))) == []
    assert ask(check, at_end(schedule(looked=40, overwritten=10, overwritten_last=True))) == []
    assert ask(check, at_end(schedule(looked=4, overwritten=3, count=4, overwritten_last=True))) == []
