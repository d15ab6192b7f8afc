"""The operation whose slope is not finite: the loss was fine, some of its gradients are not.

After the backward the values of the graph are gone, but its shape is still there. Of all operations on the way to a bad
gradient, those are told whose slope may not be finite: one is the origin, of several one of them is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from surefoot.facts import BirthFacts
from surefoot.watch.finite.origin.known_values import LEAF, KnownOperation, KnownValues
from surefoot.watch.finite.origin.operation import SLOPELESS
from surefoot.watch.finite.origin.place import Places, readable
from surefoot.watch.lossgraph.node import saved

MOST_NAMED = 3  # more say nothing


def backward_origin(root: Tensor, is_bad: Callable[[Tensor], bool | None], places: Places) -> BirthFacts | None:
    """`is_bad` tells of a parameter whether its gradient is; None if it has none."""
    if root.grad_fn is None:
        return None
    flow = KnownValues(root)
    reaching = _reaching(flow, lambda param: is_bad(param) is True)
    on_the_way = [flow.steps[node] for node in flow.steps if node in reaching]
    if any(step.operation == "ToCopy" or _is_half(step) for step in on_the_way):
        return None  # any gradient may overflow there
    suspects = [step for step in on_the_way if _may_be_steep(step)]
    names = sorted({readable(step.operation) for step in suspects})
    if not 1 <= len(names) <= MOST_NAMED:
        return None
    if len(suspects) > 1:
        return BirthFacts("backward", " or ".join(names))
    module, after, before = places.of(flow, suspects[0].node)
    return BirthFacts("backward", names[0], module, after, before)


def _may_be_steep(step: KnownOperation) -> bool:
    """Whether its slope may not be finite where its result is."""
    exponent = saved(step.node, "exponent") if step.operation == "Pow" else None
    if isinstance(exponent, int | float) and exponent >= 1:
        return False
    return step.operation in SLOPELESS or hasattr(step.node, "_forward_cls")


def _is_half(step: KnownOperation) -> bool:
    return step.operation == LEAF and step.node.variable.dtype is torch.float16


def _reaching(flow: KnownValues, is_wanted: Callable[[Tensor], bool]) -> set[Any]:
    """The nodes from which the gradient goes on to such a parameter."""
    todo = [n for n, step in flow.steps.items() if step.operation == LEAF and is_wanted(n.variable)]
    seen = set(todo)
    while todo:
        for consumer in flow.consumers.get(todo.pop(), ()):
            if consumer not in seen:
                seen.add(consumer)
                todo.append(consumer)
    return seen
