"""Hand-written sampled steps, and when a rule first speaks of them."""

from collections.abc import Callable, Sequence
from typing import Any

from surefoot.facts import ActivationFacts, ParameterSignals, SignalFacts, Site
from surefoot.rules import Evidence, History, Rule

STEP = Site("train.py", 12, "main")


def param(
    name: str, grad: float | None = 0.1, norm: float = 10.0, update: float = 0.01, **fields: Any
) -> ParameterSignals:
    return ParameterSignals(name, 2, 1000, grad, norm, update, **fields)


def layer(module: str, **fields: Any) -> ActivationFacts:
    known: dict[str, Any] = {"kind": "Linear", "num_rows": 32, "num_units": 16, "variation": 0.8, "spread": 0.6}
    return ActivationFacts(module, **(known | fields))


def step(update: int, loss: float | None = 1.0, *params: ParameterSignals, **fields: Any) -> SignalFacts:
    """A healthy one, unless told otherwise."""
    grad_norm = sum((p.grad_norm or 0.0) ** 2 for p in params) ** 0.5
    known: dict[str, Any] = {"grad_norm": grad_norm, "highest_grad_norm": grad_norm, "lrs": (0.1,), "site": STEP}
    return SignalFacts(
        update, update, 1, update, params=params, losses=() if loss is None else (loss,), **(known | fields)
    )  # fmt: skip


def course(num: int, make: Callable[[int], SignalFacts]) -> list[SignalFacts]:
    return [make(update) for update in range(1, num + 1)]


def first_heard(rule: Rule, steps: Sequence[SignalFacts]) -> tuple[int, Evidence] | None:
    """The update at which it first speaks, and what it says."""
    history = History()
    for facts in steps:
        found = list(rule.check(facts, history))
        if found:
            assert found[0].site == STEP
            return facts.update, found[0]
        history.add(facts)
    return None
