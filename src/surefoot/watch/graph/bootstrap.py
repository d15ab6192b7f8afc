"""Values that a loss takes for given, and through which a gradient goes all the same: read off its graph.

A bootstrapped target is `constant + discount * prediction`, compared with a prediction of the same network. An
advantage is `constant - prediction` and the factor of something that another network predicts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor

from surefoot.watch.graph.walk import leaves_of
from surefoot.watch.lossgraph.node import VIEWS, Node, children, name_of, number, saved

NEAR = 256  # nodes around the root that are looked at
DISCOUNTS = (0.8, 1.0)  # the second is left out: sums that are not discounted are all kinds of things
_DIFFERENCES = frozenset(("MseLoss", "SmoothL1Loss", "HuberLoss", "L1Loss", "Sub"))
_PREDICTIONS = frozenset(("Addmm", "Mm", "Addmv", "Mv", "Bmm", "Baddbmm", "Add", "Stack", "Cat"))  # no gate, as `1 - z`
_MASKS = frozenset(("IndexPut", "MaskedFill", "Where"))


@dataclass(frozen=True, slots=True)
class LiveTarget:
    kind: str  # "target" or "advantage"
    discount: float  # of a target
    leaves: frozenset[int]  # identities of the parameters that the gradient goes to


def live_targets(root: Node) -> Iterator[LiveTarget]:
    for node in _near(root):
        name, inputs = name_of(node), children(node)
        if len(inputs) != 2 or None in inputs:
            continue
        for one, other in (inputs, inputs[::-1]):
            found = _target(one, other) if name in _DIFFERENCES else _advantage(one, other) if name == "Mul" else None
            if found is not None:
                yield found


def _near(root: Node) -> Iterator[Node]:
    todo, seen = deque([root]), {root}
    while todo and len(seen) < NEAR:
        node = todo.popleft()
        yield node
        for child in children(node):
            if child is not None and child not in seen:
                seen.add(child)
                todo.append(child)


def _target(target: Node, prediction: Node) -> LiveTarget | None:
    value, discount = _bootstrapped(_below_views(target))
    if value is None:
        return None
    behind, own = leaves_of(value), leaves_of(prediction)
    return LiveTarget("target", discount, behind) if own and (own <= behind or behind <= own) else None


def _bootstrapped(node: Node) -> tuple[Node | None, float]:
    """Of `constant + discount * value`, the value and the discount."""
    live = [child for child in children(node) if child is not None]
    if name_of(node) != "Add" or len(live) != 1:
        return None, 0.0
    value, discount = _below_views(live[0]), 1.0
    while name_of(value) == "Mul" and None in (inputs := children(value)):
        is_first = inputs[0] is None
        factor = _factor(saved(value, "self" if is_first else "other"))
        value = inputs[1] if is_first else inputs[0]
        if factor is None or value is None:
            return None, 0.0
        value, discount = _below_views(value), discount * factor
    return (value, discount) if DISCOUNTS[0] <= discount < DISCOUNTS[1] else (None, 0.0)


def _factor(constant: object) -> float | None:
    """A number, or a mask that is this number or 0."""
    if type(constant) is Tensor and constant.numel() > 1 and constant.is_cpu:
        highest = constant.max()
        return float(highest) if bool(((constant == 0) | (constant == highest)).all()) else None
    return number(constant, may_wait=False)


def _advantage(advantage: Node, score: Node) -> LiveTarget | None:
    found = _below_scaling(advantage)
    value = _subtracted(found)
    if value is None or name_of(_below_views(value)) not in _PREDICTIONS:
        return None
    behind, others = leaves_of(found), leaves_of(score)
    return None if behind <= others or others <= behind else LiveTarget("advantage", 0.0, behind - others)


def _subtracted(node: Node) -> Node | None:
    """What is subtracted from a constant, or from a bootstrapped target."""
    inputs = children(node)
    if name_of(node) == "Rsub":
        return inputs[0]
    if name_of(node) != "Sub" or len(inputs) != 2:
        return None
    is_return = inputs[0] is None or _bootstrapped(_below_views(inputs[0]))[0] is not None
    return inputs[1] if is_return else None


def _below_views(node: Node) -> Node:
    while name_of(node) in VIEWS or name_of(node) in _MASKS:
        live = [child for child in children(node) if child is not None]
        if len(live) != 1:
            break
        node = live[0]
    return node


def _below_scaling(node: Node) -> Node:
    """What was normalised: `(a - a.mean()) / (a.std() + eps)`, times a constant."""
    while True:
        node = _below_views(node)
        inputs, name = children(node), name_of(node)
        live = [child for child in inputs if child is not None]
        is_centred = name == "Sub" and len(live) == 2 and name_of(live[1]) == "Mean"
        if not live or not (is_centred or name in ("Div", "Neg") or (name == "Mul" and len(live) == 1)):
            return node
        node = live[0]
