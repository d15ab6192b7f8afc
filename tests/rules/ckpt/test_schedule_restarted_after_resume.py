"""schedule-restarted-after-resume on hand-written facts."""

from typing import Any

import pytest

from surefoot.facts import ResumeFacts, ScheduleFacts, SchedulerFacts, Site, StepFacts
from surefoot.rules import Evidence, History
from surefoot.rules.ckpt.schedule_restarted_after_resume import check

MADE, LOADED = Site("train.py", 5), Site("train.py", 9)


def ask(
    lr: float = 0.001, kind: str = "MultiStepLR", resume: dict[str, Any] | None = None,
    schedule: dict[str, Any] | None = None, made: dict[str, Any] | None = None,
) -> list[Evidence]:  # fmt: skip
    loaded = {"lrs": (0.001,), "initial_lrs": (0.1,), "initial_lrs_now": (0.1,), "file": "a.pt", "position": 10}
    loaded_at = {"num_steps": 2, "at_update": 0, **(resume or {})}
    fields = {"drives": (1,), "lrs": (lr,), "count": 1, "position": 1, "opening": (1,), **(schedule or {})}
    scheduler = SchedulerFacts(1, kind, 1, MADE, builtin=kind, **(made or {}))
    restored = ResumeFacts(LOADED, **{**loaded, **loaded_at})  # type: ignore[arg-type]
    now = StepFacts(1, 1, 1, 1, lrs=(lr,), resume=restored, schedules=(ScheduleFacts(scheduler, **fields),))
    return list(check.check(now, History()))


def test_a_saved_schedule_was_not_loaded() -> None:
    (found,) = ask()
    assert found.site == MADE and "a.pt had advanced 10 times" in found.message
    assert "advanced once" in ask(resume={"position": 1})[0].message


@pytest.mark.parametrize(
    "why",
    [
        {"resume": {"file": ""}},
        {"resume": {"position": 0}},
        {"resume": {"position": None}},
        {"resume": {"initial_lrs_now": (0.2,)}},
        {"resume": {"initial_lrs": ()}},
        {"resume": {"lrs": (0.001, 0.001)}},
        {"resume": {"at_update": 5}},  # it had advanced before the state was loaded
        {"lr": 0.01},  # learning-rate-jumped-after-resume
        {"kind": "ExponentialLR"},
        {"kind": "StepLR", "made": {"settings": (("step_size", 5.0),)}},
        {"schedule": {"resumed": True}},
        {"schedule": {"explicit": True}},
        {"schedule": {"position": 11}},
        {"schedule": {"count": 0, "position": 0, "opening": ()}},
    ],
)
def test_silent(why: dict[str, Any]) -> None:
    assert ask(**why) == []


def test_silent_without_a_loaded_state() -> None:
    assert list(check.check(StepFacts(1, 1, 1, 1, lrs=(0.1,)), History())) == []
