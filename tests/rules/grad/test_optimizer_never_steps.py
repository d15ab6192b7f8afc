"""optimizer-never-steps on hand-written facts."""

from dataclasses import replace

import pytest

from surefoot.facts import EndFacts, ScheduleFacts, SchedulerFacts, Site, UnsteppedFacts
from surefoot.rules import History
from surefoot.rules.grad.optimizer_never_steps import check

ONE = UnsteppedFacts(1, "AdamW", 40, site=Site("train.py", 12))
END = EndFacts(at=99)
SCHEDULE = ScheduleFacts(SchedulerFacts(1, "StepLR", 1), drives=(1,), count=10)


def found(one: UnsteppedFacts, end: EndFacts = END) -> list[str]:
    return [f"{e.site}: {e.message} {e.fix}" for e in check.check(replace(end, unstepped=(one,)), History())]


def test_a_run_without_a_step_is_told_at_its_backward() -> None:
    (text,) = found(ONE)
    assert text.startswith("train.py:12: 40 backwards computed gradients, and the AdamW that holds")
    assert text.endswith("call optimizer.step() after backward().")
    (text,) = found(replace(ONE, step_call=Site("train.py", 14)))
    assert "see why step() in line 14 does not step it" in text


def test_gradients_that_are_read_are_for_something_else_unless_a_schedule_ran() -> None:
    reads = replace(ONE, reads_gradients=True)
    assert not found(reads)
    assert found(reads, replace(END, schedules=(SCHEDULE,)))


@pytest.mark.parametrize("reason", ["raised", "interrupted", "max-steps", "stopped"])
def test_silent_if_the_run_did_not_end_by_itself_or_was_short(reason: str) -> None:
    assert not found(ONE, replace(END, reason=reason))
    assert not found(replace(ONE, num_backwards=7))
