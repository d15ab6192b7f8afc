"""Hand-written facts for the tests of the graph rules."""

from collections.abc import Sequence
from typing import Any

from surefoot.facts import BackwardFacts, GraphFacts, Record, Site, StepFacts
from surefoot.rules import Evidence, History, Rule

BACKWARD = Site("train.py", 10)
STEP = Site("train.py", 11)


def step(
    index: int, *, retain: bool = False, create: bool = False, graph: GraphFacts | None = None, **more: Any
) -> StepFacts:
    backward = BackwardFacts(index * 2, index, BACKWARD, retain_graph=retain or create, create_graph=create)
    events = more.pop("events", (backward,))
    return StepFacts(index * 2 + 1, index, 1, index, STEP, events=events, graph=graph or GraphFacts(), **more)


def ask(rule: Rule, steps: Sequence[Record]) -> list[Evidence]:
    """What the rule says of the last record, with the others as its past."""
    return list(rule.check(steps[-1], History(steps[:-1])))
