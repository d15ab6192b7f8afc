"""The operation whose slope is not finite: the loss was fine, some of its gradients are not.

After the backward the values of the graph are gone, but its shape is still there: what lies on the way to parameters
with bad gradients only, and not on the way to good ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from surefoot.facts import BirthFacts
from surefoot.watch.finite.birth.flow import LEAF, Flow, Step
from surefoot.watch.finite.birth.operation import SLOPELESS
from surefoot.watch.finite.birth.place import Places, readable


def backward_birth(root: Tensor, is_bad: Callable[[Tensor], bool | None], places: Places) -> BirthFacts | None:
    """`is_bad` tells of a parameter whether its gradient is; None if it has none."""
    if root.grad_fn is None:
        return None
    flow = Flow(root)
    reaches_good = _reaching(flow, lambda param: is_bad(param) is False)
    reaches_bad = _reaching(flow, lambda param: is_bad(param) is True)
    suspects = [step for node, step in flow.steps.items() if node in reaches_bad and node not in reaches_good]
    slopeless = [step for step in suspects if step.operation in SLOPELESS or hasattr(step.node, "_forward_cls")]
    nearest = _nearest_to_root(flow, slopeless)
    if nearest is None:
        return None
    module, after, before = places.of(flow, nearest.node)
    return BirthFacts("backward", readable(nearest.operation), module, after, before)


def _reaching(flow: Flow, is_wanted: Callable[[Tensor], bool]) -> set[Any]:
    """The nodes from which the gradient goes on to such a parameter."""
    todo = [n for n, step in flow.steps.items() if step.operation == LEAF and is_wanted(n.variable)]
    seen = set(todo)
    while todo:
        for consumer in flow.consumers.get(todo.pop(), ()):
            if consumer not in seen:
                seen.add(consumer)
                todo.append(consumer)
    return seen


def _nearest_to_root(flow: Flow, steps: list[Step]) -> Step | None:
    wanted = {step.node for step in steps}
    level, seen = [flow.root], {flow.root}
    while level:
        found = [node for node in level if node in wanted]
        if found:
            return flow.steps[found[0]]
        below = []
        for node in level:
            for child in flow.steps[node].inputs if node in flow.steps else ():
                if child not in seen:
                    seen.add(child)
                    below.append(child)
        level = below
    return None
