"""Hand-written facts for the rules of this family: a small loop, told in a few words."""

from typing import Any

from surefoot.facts import (
    BackwardFacts,
    ClearFacts,
    GradientFacts,
    GroupFacts,
    LossFacts,
    OptimizerFacts,
    OtherStepFacts,
    SetupFacts,
    Site,
    StepFacts,
)
from surefoot.rules import Evidence, History, Rule

LINE = {"zero_grad": 10, "backward": 11, "step": 12}


def site(line: int) -> Site:
    return Site("train.py", line, "<module>")


def backward(ordinal: int, line: int = LINE["backward"], at: int | None = None, **fields: Any) -> BackwardFacts:
    fields.setdefault("loss", LossFacts(chain=("MseLoss",), kind="mse", reduction="mean", num_items=8))
    fields.setdefault("reached", ((1, 2),))
    return BackwardFacts(at=at if at is not None else 10 * ordinal, ordinal=ordinal, site=site(line), **fields)


def clear(at: int, line: int = LINE["zero_grad"]) -> ClearFacts:
    return ClearFacts(at, site(line), optimizer=1)


def other_step(at: int, optimizer: int = 2) -> OtherStepFacts:
    return OtherStepFacts(at, index=at, optimizer=optimizer, site=site(50))


def gradient(*sources: int, **fields: Any) -> GradientFacts:
    return GradientFacts(params=("weight", "bias"), num_params=2, sources=sources, **fields)


def step(update: int, events: tuple[Any, ...], *gradients: GradientFacts, **fields: Any) -> StepFacts:
    return StepFacts(
        at=1000 * update, index=update, optimizer=1, update=update, site=site(LINE["step"]), events=events,
        gradients=gradients, **fields,
    )  # fmt: skip


def setup(kind: str = "SGD", *, builtin: bool = True, **group: Any) -> SetupFacts:
    return SetupFacts(at=0, optimizers=(OptimizerFacts(1, kind, builtin, groups=(GroupFacts(lr=0.1, **group),)),))


def ask(rule: Rule, now: Any, *past: Any) -> list[Evidence]:
    return list(rule.check(now, History(past)))
