"""Optimizers that evaluate the loss several times in one update, such as L-BFGS and SAM."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor
    from torch.optim import Optimizer

    from surefoot.loop.loop import Loop
    from surefoot.loop.update import Outcome, Updater


class RefusedEvaluationError(Exception):
    """An evaluation inside a step that must not be used. It leaves the optimizer, and never the loop."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


def needs_closure(optimizer: Optimizer) -> bool:
    closure = inspect.signature(type(optimizer).step).parameters.get("closure")
    return closure is not None and closure.default is inspect.Parameter.empty


def refuse_backward(updater: Updater) -> None:
    kind = type(updater.parts[0]).__name__
    raise TypeError(
        f"{kind} evaluates the loss several times in one update, so it needs a function instead of a loss: write "
        "step.closure(lambda: loss_fn(model(x), y)) instead of step.backward(loss)."
    )


def check_closures(loop: Loop) -> None:
    """For optimizers that can't do without."""
    for updater in loop._updaters.values():
        if updater.needs_closure:
            check_closure(loop, updater)


def check_closure(loop: Loop, updater: Updater) -> None:
    """What an update by a closure can't honour is refused."""
    if len(updater.parts) > 1:
        raise ValueError(
            "an update by a closure is made by one optimizer, got a list of them. Give them names, "
            'sf.Loop(model, {"a": first, "b": second}), and each a step of its own.'
        )
    if loop._accumulate[updater.name] > 1:
        raise ValueError(
            f"a closure evaluates its whole window again, got accumulate={loop._accumulate[updater.name]}. Leave "
            "accumulate out, and let the closure compute the mean loss of all parts."
        )
    if updater.scaler is not None:
        raise ValueError('torch\'s GradScaler takes no closures, got precision="fp16". Use "bf16" or "fp32".')
    if loop._ranks.shares_backward:
        raise ValueError('a closure can\'t be used with parallel="fsdp". Use parallel="ddp".')
    if loop._on_nonfinite == "skip":
        raise ValueError(
            'on_nonfinite="skip" can\'t take back what an optimizer with a closure remembers of an update that is '
            'refused. Use on_nonfinite="raise".'
        )


class Weights:
    """Those from before an update, and whether they are still in place."""

    def __init__(self, params: Sequence[Tensor]) -> None:
        self._params = params
        self._before = [p.detach().clone() for p in params]
        self._versions = [p._version for p in params]

    @property
    def are_in_place(self) -> bool:
        return self._versions == [p._version for p in self._params]

    @torch.no_grad()
    def put_back(self) -> None:
        for p, before in zip(self._params, self._before, strict=True):
            p.copy_(before)


def step_with(
    optimizer: Optimizer, params: Sequence[Tensor], evaluate: Callable[[], Outcome], first: Outcome
) -> Outcome:
    """Step with the gradients of the `first` evaluation in place.

    Some optimizers begin with an evaluation (L-BFGS), others take the gradients that are there (SAM): a closure that is
    called before any weight has moved returns what is known.
    """
    weights = Weights(params)

    def closure() -> Tensor:
        outcome = first
        if not weights.are_in_place:
            outcome = evaluate()
            if not outcome.applied:
                raise RefusedEvaluationError(outcome)
        return torch.tensor(outcome.loss, dtype=torch.float64)

    try:
        optimizer.step(torch.enable_grad()(closure))  # type: ignore[arg-type]
    except RefusedEvaluationError as refused:
        weights.put_back()
        return refused.outcome
    except BaseException:
        weights.put_back()
        raise
    return first
