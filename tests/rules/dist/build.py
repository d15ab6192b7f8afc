"""Hand-written facts of steps and ranks."""

from typing import Any

from surefoot.facts import EndFacts, Record, ReplicaFacts, Site, StepFacts, UnsyncedFacts
from surefoot.rules import Evidence, History, Rule

STEP = Site("train.py", 20)
BACKWARD = Site("train.py", 18)
LOSS = Site("train.py", 16)


def unsynced(kind: str, **fields: Any) -> UnsyncedFacts:
    given: dict[str, Any] = {"optimizer": 1, "num_ranks": 4, "backward": BACKWARD, "model": "Net"} | fields
    return UnsyncedFacts(kind, **given)


def at_step(*facts: UnsyncedFacts) -> StepFacts:
    return StepFacts(at=9, index=3, optimizer=1, update=3, site=STEP, unsynced=facts)


def at_end(*facts: UnsyncedFacts, reason: str = "finished") -> EndFacts:
    return EndFacts(at=99, num_steps=30, reason=reason, unsynced=facts)


def note(rank: int, update: int = 1, **fields: Any) -> ReplicaFacts:
    given: dict[str, Any] = {"step": update, "site": STEP, "model": "Net", "loss": LOSS, "num_ranks": 2, "optimizer": 1}
    return ReplicaFacts(rank=rank, update=update, **{**given, **fields})


def ask(rule: Rule, now: Record, *past: Record) -> list[Evidence]:
    return list(rule.check(now, History(past)))
