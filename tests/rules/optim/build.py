"""Facts of the optim family, written by hand."""

from typing import Any

from surefoot.facts import (
    BackwardFacts,
    Event,
    GradientFacts,
    GroupFacts,
    OptimizerFacts,
    OtherStepFacts,
    ParameterFacts,
    Record,
    SetupFacts,
    Site,
    StepFacts,
)
from surefoot.rules import Evidence, History, Rule

MADE, STEPPED, BACKWARD, ELSEWHERE = Site("train.py", 3), Site("train.py", 9), Site("train.py", 8), Site("train.py", 5)


def optimizer(number: int = 1, **facts: Any) -> OptimizerFacts:
    values: dict[str, Any] = {"kind": "SGD", "site": Site("train.py", MADE.line + number - 1), **facts}
    return OptimizerFacts(number, groups=values.pop("groups", (GroupFacts(0.1, num_params=2),)), **values)


def held(name: str, *, by: tuple[int, ...] = (1,), **facts: Any) -> ParameterFacts:
    """A parameter that an optimizer trains."""
    return _parameter(name, optimizers=by, **facts)


def free(name: str, **facts: Any) -> ParameterFacts:
    """A parameter that gets gradients and that no optimizer holds."""
    return _parameter(name, nonzero=True, **facts)


def _parameter(name: str, **facts: Any) -> ParameterFacts:
    shape = (4,) if name.endswith("bias") else (4, 4)
    values: dict[str, Any] = {"model": 1, "shape": shape, "reached": True, "module_kind": "Linear", **facts}
    return ParameterFacts(name, **values)


def setup(*parameters: ParameterFacts, optimizers: tuple[OptimizerFacts, ...] = (), **facts: Any) -> SetupFacts:
    return SetupFacts(at=0, optimizers=optimizers or (optimizer(),), parameters=parameters, **facts)


def step(update: int, *, reached: int = 2, unowned: int = 2, optimizer: int = 1, **facts: Any) -> StepFacts:
    """A step after one backward that reached so many parameters of the optimizer and of nobody."""
    at = 10 * update
    counts = ((optimizer, reached),) if reached else ()
    backward = BackwardFacts(at, update, BACKWARD, reached=counts, num_unowned=unowned)
    values: dict[str, Any] = {
        "events": (backward,),
        "gradients": (GradientFacts(("w", "b"), 2, present=reached > 0, sources=(update,) if reached else ()),),
        "unowned": (GradientFacts(("v",), unowned, sources=(update,)),) if unowned else (),
        "site": STEPPED,
        "lrs": (0.1,),
        **facts,
    }
    return StepFacts(at + 5, update, optimizer, update, **values)


def other_step(index: int, at: int, optimizer: int = 2) -> Event:
    return OtherStepFacts(at, index, optimizer, ELSEWHERE)


def ask(rule: Rule, now: Record, *past: Record) -> list[Evidence]:
    return list(rule.check(now, History(past)))
