"""Hand-written facts for the rules of this family."""

from typing import Any

from surefoot.facts import (
    EndFacts,
    EpochFacts,
    OptimizerFacts,
    ScheduleFacts,
    SchedulerFacts,
    SetupFacts,
    Site,
    StepFacts,
)
from surefoot.rules import Evidence, History, Rule

MADE, ADVANCED = Site("train.py", 5), Site("train.py", 12)


def schedule(
    builtin: str = "StepLR", *settings: tuple[str, float], length: int | None = None, **fields: Any
) -> ScheduleFacts:
    made = SchedulerFacts(1, builtin, 1, MADE, length, settings, builtin)
    fields = {"drives": (1,), "site": ADVANCED, "count": 40, "updates": 40, "lrs": (0.1,), "peaks": (0.1,), **fields}
    fields.setdefault("position", fields["count"])
    return ScheduleFacts(made, **fields)


def at_step(*schedules: ScheduleFacts) -> StepFacts:
    return StepFacts(at=100, index=10, optimizer=1, update=10, schedules=schedules)


def at_end(*schedules: ScheduleFacts, **fields: Any) -> EndFacts:
    return EndFacts(at=1000, num_steps=40, schedules=schedules, **fields)


def epoch(complete: bool = True, num_steps: int = 10) -> EpochFacts:
    return EpochFacts(at=50, loader=1, epoch=1, complete=complete, num_batches=10, num_steps=num_steps)


def setup(*kinds: str) -> SetupFacts:
    return SetupFacts(at=0, optimizers=tuple(OptimizerFacts(i, kind) for i, kind in enumerate(kinds, 1)))


def ask(rule: Rule, now: Any, *past: Any) -> list[Evidence]:
    return list(rule.check(now, History(past)))
