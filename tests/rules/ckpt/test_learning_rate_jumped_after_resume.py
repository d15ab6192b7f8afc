"""learning-rate-jumped-after-resume on hand-written facts."""

from typing import Any

import pytest

from surefoot.facts import ResumeFacts, ScheduleFacts, SchedulerFacts, Site, StepFacts
from surefoot.rules import Evidence, History
from surefoot.rules.ckpt.learning_rate_jumped_after_resume import check

MADE, LOADED = Site("train.py", 5), Site("train.py", 9)


def ask(
    lr: float = 0.1, resume: dict[str, Any] | None = None, schedule: dict[str, Any] | None = None
) -> list[Evidence]:
    loaded = {"lrs": (0.001,), "initial_lrs": (0.1,), "initial_lrs_now": (0.1,), "num_steps": 1, **(resume or {})}
    fields = {"drives": (1,), "lrs": (lr,), **(schedule or {})}
    schedules = (ScheduleFacts(SchedulerFacts(1, "LambdaLR", 1, MADE), **fields),)
    now = StepFacts(1, 1, 1, 1, lrs=(lr,), resume=ResumeFacts(LOADED, **loaded), schedules=schedules)
    return list(check.check(now, History()))


def test_fires_at_the_first_step_or_after_one_advance() -> None:
    (found,) = ask()
    assert found.site == MADE and "100 times" in found.message and found.numbers["checkpoint_lr"] == 0.001
    assert len(ask(schedule={"count": 1})) == 1
    assert len(ask(lr=0.0013)) == 1


@pytest.mark.parametrize(
    "why",
    [
        {"lr": 0.0011},  # as from one advance to the next
        {"lr": 0.0001},  # a warm-up
        {"schedule": {"resumed": True}},
        {"schedule": {"count": 2}},  # run forward
        {"schedule": {"lrs": (0.001,)}},  # the rate was set by hand
        {"resume": {"initial_lrs_now": (0.2,)}},  # a second phase
        {"resume": {"initial_lrs": ()}},  # there was no schedule
        {"resume": {"lrs": (0.001, 0.001)}},
        {"resume": {"lrs": (0.0,)}},
    ],
)
def test_silent(why: dict[str, Any]) -> None:
    assert ask(**why) == []


def test_silent_without_a_loaded_state() -> None:
    assert list(check.check(StepFacts(1, 1, 1, 1, lrs=(0.1,)), History())) == []
