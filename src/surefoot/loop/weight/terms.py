"""From the root of a loss down to the means and sums over items that it is linear in."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from torch import Tensor

from surefoot.loop.weight.error import no_answer, unknown
from surefoot.loop.weight.regulariser import is_item_free
from surefoot.watch.lossgraph.node import (
    VIEWS,
    Node,
    below_views,
    children,
    is_scalar,
    name_of,
    number,
    saved,
    shape_of,
)
from surefoot.watch.lossgraph.reading import KINDS

MAX_NODES = 4096  # a loss added up over a long sequence has one node a term
REDUCERS = frozenset({"Mean", "Sum", "Nansum", "Dot"})
_HANDS_ON = VIEWS | {"Neg", "NanToNum"}
_SUMS = frozenset({"Add", "Sub", "Rsub"})
_BENDS = {
    "Sqrt": "the square root",
    "Exp": "the exponential",
    "Log": "the logarithm",
    "Pow": "a power",
    "Abs": "the absolute value",
}


@dataclass(frozen=True, slots=True)
class Constant:
    """A number by which a loss was multiplied or divided."""

    value: float
    is_plain: bool  # a Python number, as far as one can tell: tensors have the dtype of the loss
    tolerance: float

    @staticmethod
    def of(found: Any, loss_dtype: torch.dtype | None) -> Constant | None:
        value = number(found, may_wait=True)
        if value is None:
            return None
        if not isinstance(found, Tensor):
            return Constant(value, is_plain=True, tolerance=_TOLERANCE)
        is_plain = found.dtype in (torch.float64, torch.int64) and found.dtype != loss_dtype
        rounding = torch.finfo(found.dtype).eps if found.is_floating_point() else 0.0
        return Constant(value, is_plain, max(_TOLERANCE, 2 * rounding))


_TOLERANCE = 1e-5  # a small number that is added against 0 / 0, and rounding of long sums


@dataclass(frozen=True, slots=True)
class Reduction:
    """Where the loss goes from items to one number, and the constants between there and the root."""

    node: Node
    divisors: tuple[Constant, ...] = ()
    factors: tuple[Constant, ...] = ()


def reductions_of(loss: Tensor) -> list[Reduction]:
    """All of them, in the order in which the loss adds them up; none if it depends on no item."""
    if loss.grad_fn is None:
        raise unknown("has no graph that tells what it is a mean over")
    found: list[Reduction] = []
    todo = [Reduction(loss.grad_fn)]
    for _ in range(MAX_NODES):
        if not todo:
            return found
        here = todo.pop()
        below = _below(here, loss.dtype)
        if below is None:
            found.append(here)
        else:
            todo += reversed(below)
    raise unknown(f"has more than {MAX_NODES} terms")


def _below(here: Reduction, dtype: torch.dtype) -> list[Reduction] | None:
    """The arguments that carry on; None when the node itself reduces items."""
    node, name = here.node, name_of(here.node)
    inner = [child for child in children(node) if child is not None]
    if name in REDUCERS or name in KINDS:
        return _below_reducer(here, name)
    if name in ("Mul", "Div"):
        return _below_product(here, name, dtype)
    if name in _SUMS:
        return [_at(here, child) for child in inner]
    if name in _HANDS_ON and inner and is_scalar(inner[0]):
        return [_at(here, inner[0])]
    if is_item_free(node):
        return []
    if name.startswith("CompiledFunction"):
        raise unknown("is compiled, and its graph does not tell what it is a mean over")
    if inner and all(map(is_scalar, inner)) and name not in _HANDS_ON:
        raise no_answer(f"takes {_BENDS.get(name, f'a function ({name})')} of a mean")
    raise unknown(f"ends in {name}, which does not tell what it is a mean over")


def _below_reducer(here: Reduction, name: str) -> list[Reduction] | None:
    node = here.node
    if is_item_free(node):
        return []
    if name in KINDS:
        if getattr(node, "_saved_reduction", None) in (1, 2):
            return None
        raise unknown(f"ends in {name}, which does not tell what it is a mean over")
    child = children(node)[0]
    if name == "Dot":
        return _of_dot(here)
    if child is None:
        return None
    under = below_views(child)
    if under is not None and shape_of(under) == ():  # of one number: `loss.mean()`, to be safe
        return [_at(here, child)]
    if name == "Mean":
        num = float(prod(shape_of(child) or ()))
        here = Reduction(node, (*here.divisors, Constant(num, is_plain=True, tolerance=_TOLERANCE)), here.factors)
    return _of_list(Reduction(child, here.divisors, here.factors))


def _of_list(here: Reduction) -> list[Reduction] | None:
    """The losses in a list that was stacked, and perhaps multiplied by a weight for each; None if it is none."""
    node, name = here.node, name_of(here.node)
    inner = [child for child in children(node) if child is not None]
    if name in ("Stack", "Cat"):
        is_list = inner and all(shape_of(below_views(part)) == () for part in inner)
        return [_at(here, part) for part in inner] if is_list else None
    if name not in (*_SUMS, *_HANDS_ON, "Mul", "Div"):
        return None
    of_items = [child for child in inner if not is_item_free(child)]
    if len(of_items) != 1 or (name == "Div" and of_items[0] is not children(node)[0]):
        return None
    found = _of_list(_at(here, of_items[0]))
    if found is None or None not in children(node) or name not in ("Mul", "Div"):
        return found
    return _times_each(found, saved(node, "self" if children(node)[0] is None else "other"), name)


def _times_each(parts: list[Reduction], constant: Any, name: str) -> list[Reduction] | None:
    values = constant.detach().reshape(-1) if isinstance(constant, Tensor) else constant
    is_many = isinstance(values, Tensor) and len(values) > 1
    if is_many and len(values) != len(parts):
        return None
    found: list[Reduction] = []
    for i, part in enumerate(parts):
        one = Constant.of(values[i] if is_many else constant, torch.float32)
        if one is None:
            return None
        divisors, factors = ((one,), ()) if name == "Div" else ((), (one,))
        found.append(Reduction(part.node, (*part.divisors, *divisors), (*part.factors, *factors)))
    return found


def _of_dot(here: Reduction) -> list[Reduction] | None:
    left, right = children(here.node)
    if left is not None and right is not None:
        return None
    found = _of_list(_at(here, left if right is None else right))
    return None if found is None else _times_each(found, saved(here.node, "tensor" if right is None else "self"), "Mul")


def _below_product(here: Reduction, name: str, dtype: torch.dtype) -> list[Reduction]:
    node, arguments = here.node, children(here.node)
    left, right = (arguments[0], arguments[1] if len(arguments) > 1 else None)
    if left is not None and right is not None:
        return _below_two(here, name, left, right)
    if left is None:
        if name == "Div":
            if is_item_free(right):
                return []
            raise no_answer("divides by a mean")
        child, constant = right, Constant.of(saved(node, "self"), dtype)
    else:
        child, constant = left, Constant.of(saved(node, "other"), dtype)
    if constant is None:
        raise unknown(f"ends in {name} by a value that can't be read")
    if name == "Div":
        return [Reduction(child, (*here.divisors, constant), here.factors)]
    return [Reduction(child, here.divisors, (*here.factors, constant))]


def _below_two(here: Reduction, name: str, left: Node, right: Node) -> list[Reduction]:
    """A product with a learned weight is linear in what the items give; one of two means is not."""
    if is_item_free(right):
        return [_at(here, left)]
    if name == "Mul" and is_item_free(left):
        return [_at(here, right)]
    raise no_answer("multiplies two means" if name == "Mul" else "divides by a mean")


def _at(here: Reduction, node: Node) -> Reduction:
    return Reduction(node, here.divisors, here.factors)
