"""Hand-written records of sequence losses."""

from typing import Any

from surefoot.facts import BackwardFacts, LossFacts, ReadFacts, SequenceFacts, Site, StepFacts
from surefoot.rules import Evidence, History, Rule

LOSS = Site("train.py", 10, "<module>")
HEAD = Site("train.py", 11, "<module>")


def sequence(**fields: Any) -> SequenceFacts:
    fields.setdefault("site", LOSS)
    return SequenceFacts(kind="cross-entropy", **fields)


def read(row: int, target: int, latest: int, **fields: Any) -> ReadFacts:
    fields.setdefault("earliest", 0)
    return ReadFacts(fields.pop("lookup", 0), row, target, latest=latest, length=12, **fields)


def step(*sequences: SequenceFacts, update: int = 1, loss: Site = LOSS) -> StepFacts:
    backward = BackwardFacts(1, 1, loss, LossFacts(kind="cross-entropy", site=loss))
    return StepFacts(100 * update, update, 1, update, events=(backward,), sequences=sequences)


def ask(rule: Rule, now: StepFacts, *past: StepFacts) -> list[Evidence]:
    return list(rule.check(now, History(past)))
