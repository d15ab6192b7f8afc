"""Check one function's gradient, and the gradient of that gradient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from surefoot.lab.gradcheck.argument import is_custom_function, parameters_of
from surefoot.watch.graph.difference import Comparison, Subject, kept_generators
from surefoot.watch.graph.gradcheck import meant_otherwise

ORDERS = {1: "first", 2: "second"}


@dataclass(frozen=True)
class CheckedInput:
    """The gradient of one input; `analytic` and `numeric` are those of the worst element."""

    name: str
    order: int
    num_wrong: int
    num_compared: int
    analytic: float = 0.0
    numeric: float = 0.0

    @property
    def relative_error(self) -> float:
        return abs(self.analytic - self.numeric) / max(abs(self.analytic), abs(self.numeric), 1e-300)


@dataclass(frozen=True)
class Checked:
    function: str
    verdict: Literal["right", "wrong", "unchecked"]
    inputs: tuple[CheckedInput, ...] = ()
    notes: tuple[str, ...] = ()  # what was not checked, and why

    @property
    def wrong(self) -> list[CheckedInput]:
        return [checked for checked in self.inputs if checked.num_wrong]


def check(function: Any, args: tuple[Any, ...]) -> Checked:
    """By finite differences on `args`, of which tensors that require gradients are checked."""
    apply: Callable[..., Any] = function.apply if is_custom_function(function) else function
    names = _names(function, len(args))
    with kept_generators(args):
        try:
            subject = Subject(apply, args, torch.float64)
            if not subject.inputs:
                return _unchecked(function, "none of its inputs is a floating-point tensor")
            if not subject.is_repeatable():
                return _unchecked(function, "two calls with the same numbers differ")
            first = list(subject.compare())
        except Exception as error:
            return _unchecked(function, f"calling it raised {type(error).__name__}: {error}")
        if not any(comparison.numeric for comparison in first):
            return _unchecked(function, "it has no smooth point to compare at, or no output depends on its inputs")
        wrong = [comparison for comparison in first if comparison.wrong]
        why = meant_otherwise(function, subject, wrong) if wrong else ""
        if why:
            return _unchecked(function, why)
        found = [_checked(comparison, names, 1) for comparison in first]
        if wrong:
            return Checked(function.__name__, "wrong", tuple(found))
        second, notes = _second_order(apply, args)
        found += [_checked(comparison, names, 2) for comparison in second]
        return Checked(function.__name__, "wrong" if any(f.num_wrong for f in found) else "right", tuple(found), notes)


def _second_order(apply: Callable[..., Any], args: tuple[Any, ...]) -> tuple[list[Comparison], tuple[str, ...]]:
    subject = Subject(_gradient_of(apply), args, torch.float64)
    try:
        # Through the whole graph: where only some inputs are asked for, torch passes over what refuses to be
        # differentiated twice.
        sum(out.sum() for out in subject.call(grad=True)).backward()  # type: ignore[union-attr]
        return list(subject.compare()), ()
    except Exception as error:
        if "once_differentiable" in str(error):
            return [], ("second order is not offered: its backward is marked with once_differentiable",)
        return [], (f"second order was not checked: {type(error).__name__}: {error}",)


def _gradient_of(apply: Callable[..., Any]) -> Callable[..., Any]:
    """A function that returns the gradients of all inputs, each still a function of the inputs."""

    def gradients(*args: Any) -> tuple[Tensor, ...]:
        is_traced = torch.is_grad_enabled()
        with torch.enable_grad():
            own = [a if is_traced or not _is_input(a) else a.detach().requires_grad_() for a in args]
            inputs = [arg for arg in own if _is_input(arg)]
            result = apply(*own)
            outputs = [out for out in (result if isinstance(result, tuple | list) else (result,)) if _is_input(out)]
            total = sum((out**2).sum() / 2 + out.sum() for out in outputs if out.requires_grad)
            found = torch.autograd.grad(total, inputs, create_graph=True, allow_unused=True)
            # What a backward cuts off from its inputs must count as zero, not as absent.
            return tuple(0 * i if g is None else g + 0 * i for g, i in zip(found, inputs, strict=True))

    return gradients


def _is_input(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _checked(comparison: Comparison, names: list[str], order: int) -> CheckedInput:
    wrong, name = comparison.wrong, names[comparison.input]
    if not wrong:
        return CheckedInput(name, order, 0, len(comparison.numeric))
    at = comparison.worst
    return CheckedInput(
        name, order, len(wrong), len(comparison.numeric), comparison.analytic[at], comparison.numeric[at]
    )


def _names(function: Any, num: int) -> list[str]:
    names = [p.name for p in parameters_of(function) if p.kind is not p.VAR_POSITIONAL]
    return [names[i] if i < len(names) else f"input {i}" for i in range(num)]


def _unchecked(function: Any, why: str) -> Checked:
    return Checked(function.__name__, "unchecked", notes=(why,))
