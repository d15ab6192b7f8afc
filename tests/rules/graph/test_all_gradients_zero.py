"""all-gradients-zero."""

from typing import Any

import pytest

from surefoot.facts import BackwardFacts, ClipFacts, GradientFacts, Site, StepFacts, ZeroGradientFacts
from surefoot.rules.graph.all_gradients_zero import STEPS, check
from tests.rules.graph.build import BACKWARD, ask, step

CALL = Site("model.py", 4)


def run(
    zeros: dict[str, Any], *, num: int = STEPS, value: float | None = 0.5, dtype: str = "", **more: Any
) -> list[StepFacts]:
    steps = []
    for i in range(1, num + 1):
        backward = BackwardFacts(i * 2, i, BACKWARD, value=value, autocast_dtype=dtype)
        gradients = (GradientFacts(("w",), 2, **{"sources": (i,), **more}),)
        facts = (ZeroGradientFacts(**{"num_steps": i, "params": ("w", "b"), "num_params": 2, **zeros}),)
        steps.append(step(i, events=(backward,), gradients=gradients, zero_gradients=facts))
    return steps


@pytest.mark.parametrize(
    ("zeros", "told"),
    [
        ({"kind": "every"}, "all 2 parameters with a gradient (w, b)"),
        ({"kind": "every", "ended_in": "Relu"}, "it ends in relu()"),
        ({"kind": "every", "ended_in": "round"}, "through round()"),
        ({"kind": "stepwise", "ended_in": "sign"}, "through sign()"),
        ({"kind": "stepwise", "ended_in": "softmax"}, "which is 1 whatever they are"),
        ({"kind": "every", "ended_in": "log_softmax"}, "which is 0 whatever they are"),
        ({"kind": "closed"}, "the weights w, b are 0"),
    ],
)
def test_it_is_told_once_at_the_backward(zeros: dict[str, Any], told: str) -> None:
    (evidence,) = ask(check, run(zeros))
    assert told in evidence.message and evidence.site == BACKWARD
    assert not ask(check, run(zeros, num=STEPS - 1))
    assert not ask(check, run(zeros, num=STEPS + 1))


@pytest.mark.parametrize(("kind", "told"), [("direction", "does not depend"), ("recurrence", "last position only")])
def test_a_direction_is_told_at_its_call(kind: str, told: str) -> None:
    (evidence,) = ask(check, run({"kind": kind, "direction": "reverse", "module": "GRU", "site": CALL}))
    assert told in evidence.message and evidence.site == CALL


@pytest.mark.parametrize(
    "how",
    [
        {"value": 0.0},
        {"value": None},
        {"value": float("nan")},
        {"dtype": "float16"},
        {"by_hand": True},
        {"sources": ()},
    ],
)
def test_silent(how: dict[str, Any]) -> None:
    assert not ask(check, run({"kind": "every"}, **how))


def clipped(max_norm: float, *, num_fresh: int = 2, optimizers: tuple[int, ...] = (1,)) -> StepFacts:
    clip = ClipFacts(3, CALL, max_norm=max_norm, num_fresh=num_fresh, optimizers=optimizers)
    backward = BackwardFacts(2, 1, BACKWARD, value=0.5)
    return step(1, events=(backward, clip), gradients=(GradientFacts(("w",), 2, sources=(1,)),))


def test_a_limit_of_zero_is_told_at_the_clipping() -> None:
    (evidence,) = ask(check, [clipped(0.0)])
    assert "with a limit of 0 made all 2 gradients 0" in evidence.message and evidence.site == CALL


@pytest.mark.parametrize(
    "now", [clipped(1.0), clipped(0.0, num_fresh=1), clipped(0.0, optimizers=(2,)), clipped(0.0, optimizers=(1, 2))]
)
def test_other_limits_and_parts_of_a_model_are_not(now: StepFacts) -> None:
    assert not ask(check, [now])
