"""Hand-written losses, told in a few words."""

from typing import Any

from surefoot.facts import BackwardFacts, EndFacts, GradientFacts, LossFacts, OpFacts, Record, Site, StepFacts
from surefoot.rules import Evidence, History, Rule

LOSS, BACKWARD, STEP = 10, 12, 13  # lines


def ops(*names: str, shape: tuple[int, ...] = (16, 5), dim: int | None = 1) -> tuple[OpFacts, ...]:
    """The operations under a loss, the last one first."""
    return tuple(OpFacts(name, shape, dim if "oftmax" in name else None) for name in names)


def loss(kind: str, *made_by: str, **fields: Any) -> LossFacts:
    fields.setdefault("fed_by", ops(*made_by))
    fields.setdefault("reduction", "mean")
    return LossFacts(kind=kind, site=Site("train.py", LOSS, "<module>"), **fields)


def backward(of: LossFacts | None, ordinal: int = 1, **fields: Any) -> BackwardFacts:
    fields.setdefault("reached", ((1, 2),))
    return BackwardFacts(ordinal, ordinal, Site("train.py", BACKWARD, "<module>"), of, **fields)


def step(*losses: LossFacts | BackwardFacts, update: int = 1, **fields: Any) -> StepFacts:
    events = tuple(b if isinstance(b, BackwardFacts) else backward(b, i + update) for i, b in enumerate(losses))
    fields.setdefault("gradients", (GradientFacts(("weight",), 1, sources=tuple(e.ordinal for e in events)),))
    site = Site("train.py", STEP, "<module>")
    return StepFacts(100 * update, update, 1, update, site, events=events, **fields)


def end(*losses: LossFacts, num_steps: int = 0) -> EndFacts:
    return EndFacts(at=1000, num_steps=num_steps, tail=tuple(backward(of, i) for i, of in enumerate(losses, 1)))


def ask(rule: Rule, now: Record, *past: Record) -> list[Evidence]:
    return list(rule.check(now, History(past)))


def lines(evidence: list[Evidence]) -> list[int | None]:
    return [e.site.line if e.site is not None else None for e in evidence]
