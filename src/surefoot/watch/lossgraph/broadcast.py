"""See a prediction and its target expanded against each other, as (N, 1) and (N) become (N, N)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from surefoot.watch.lossgraph.expanded import is_outer, is_spread, shape_of_constant
from surefoot.watch.lossgraph.loss_call import LossCall
from surefoot.watch.lossgraph.node import VIEWS, Node, below_views, children, name_of, saved, shape_of
from surefoot.watch.lossgraph.reading import product

Shape = tuple[int, ...]

_REDUCERS = frozenset({"Mean", "Sum", "LinalgVectorNorm", "Norm"})
_PAIRS = frozenset({"Sub", "Rsub", "Mul"})
_OF_EACH_ELEMENT = frozenset(
    {"Pow", "Abs", "Mul", "Div", "Neg", "Sqrt", "Add", "Sub", "Log", "Log1P", "Cosh", "Mean", "Sum", "Where"}
)
_MULTIPLES = frozenset({"Mul", "Neg", "Div", "Add"})  # or shifted
_OF_TWO = frozenset({"Maximum", "Minimum", "Logaddexp"})
MAX_NODES = 24
_TURNS = frozenset({"Unsqueeze", "T", "Transpose", "Permute"})  # written to make two tensors meet


@dataclass(slots=True)
class Broadcast:
    shapes: tuple[Shape, Shape, Shape]  # of the prediction, of the target, and what both were expanded to
    is_meant: bool  # a pairwise loss: one of them was turned for it


def of_call(call: LossCall, node: Node) -> Broadcast | None:
    """In a loss function of torch, whose arguments are known."""
    prediction, target = tuple(call.input_shape), tuple(call.target_shape)
    try:
        both = tuple(torch.broadcast_shapes(prediction, target))  # type: ignore[no-untyped-call]
    except RuntimeError:
        return None
    values = saved(node, "self") if name_of(node) == "Abs" else saved(node, "target")  # torch keeps |p - t| so
    if both == target and is_spread(values, prediction):
        return Broadcast((prediction, target, both), is_meant=call.is_target_turned)
    if both in (prediction, target) or not prediction:
        return None
    is_turned = _is_turned(_graph_side(node))
    if _squares(prediction, both):
        is_meant = call.is_target_turned and is_turned
    elif _is_dimensions_apart(prediction, target):
        is_meant = call.is_target_turned or is_turned
    else:
        return None
    if _is_written_the_other_way_round(node):
        prediction, target = target, prediction
    return Broadcast((prediction, target, both), is_meant=is_meant)


def _is_written_the_other_way_round(node: Node) -> bool:
    """As `mse_loss(target, prediction)`: only what was given second has a graph."""
    given = children(node)
    return len(given) == 2 and given[0] is None and given[1] is not None


def _graph_side(node: Node) -> Node | None:
    inner = [child for child in children(node) if child is not None]
    child = inner[0] if inner else None
    if child is not None and name_of(child) == "Expand":  # torch's own
        child = children(child)[0]
    return child


def of_graph(root: Node) -> Broadcast | None:
    """In a hand-written loss: a mean or sum over a function of a difference or of a product."""
    if name_of(root) not in _REDUCERS:
        return None
    todo = [(children(root)[0], saved(root, "self"))]
    for _ in range(MAX_NODES):
        if not todo:
            break
        node, kept = todo.pop()
        name = name_of(node) if node is not None else ""
        found = _of_pair(node, kept) if name in _PAIRS else None
        if found is not None:
            return found
        if name == "Mul" and _weighs_pairs(node):
            return None
        if name in _OF_TWO and None not in children(node):
            todo += zip(children(node), (saved(node, "self"), saved(node, "other")), strict=False)
        elif name == "Add" and (softened := _log_cosh(node)) is not None:
            todo.append(softened)
        elif name in _OF_EACH_ELEMENT or name in VIEWS:
            kept = kept if name in VIEWS else _given(name, node, kept)
            todo += [(child, kept) for child in children(node) if child is not None]
    return None


def _log_cosh(total: Node) -> tuple[Node, Any] | None:
    """Of `d + softplus(-2 * d)`: what softplus was given. By itself it ranks pairs."""
    soft = [child for child in children(total) if child is not None and name_of(child) == "Softplus"]
    return (children(soft[0])[0], saved(soft[0], "self")) if len(soft) == 1 and None not in children(total) else None


def _given(name: str, node: Node, result: Any) -> Any:
    """What the operation was given; or what it came to, where that is a multiple of it."""
    kept = saved(node, "self")
    return (
        result
        if kept is None and name in _MULTIPLES and len(children(node)) - children(node).count(None) == 1
        else kept
    )


def _of_pair(pair: Node, values: Any) -> Broadcast | None:
    """`values` is what the pair came to, where the operation on it kept that."""
    both = shape_of(pair)
    sides = [side for side in children(pair) if side is not None]
    shapes = [shape_of(side) for side in sides]
    if both is None or not sides or None in shapes or both in shapes:
        return None
    prediction = shapes[0] or ()
    if any(map(_is_leaf, sides)):
        return None
    if len(sides) == 1 and name_of(pair) != "Mul" and is_outer(values, prediction, both):
        return Broadcast((prediction, both[len(both) // 2 :], both), is_meant=_is_turned(sides[0]))
    is_matrix = sum(size > 1 for size in both) == 2  # distances of points in space have one more dimension
    if not is_matrix or not prediction or not _squares(prediction, both):
        return None
    target: Shape | None
    if len(sides) == 2:
        target = shapes[1]
    elif name_of(pair) == "Mul":
        constant = _constant(pair)
        target = tuple(constant.shape) if constant is not None else None
    else:
        target = shape_of_constant(values, prediction, both)
    if target is None or (target == both and len(sides) == 2):
        return None
    return Broadcast((prediction, target, both), is_meant=any(map(_is_turned, sides)))


def _constant(product: Node) -> Tensor | None:
    arguments = children(product)
    constant = saved(product, "other" if arguments[0] is not None else "self") if None in arguments else None
    return constant if isinstance(constant, Tensor) else None


def _weighs_pairs(product: Node) -> bool:
    """By a constant for each pair: the pairs are meant."""
    constant, both = _constant(product), shape_of(product)
    return constant is not None and both is not None and len(both) > 1 and tuple(constant.shape) == both


def _is_leaf(side: Node) -> bool:
    """A parameter by itself is no prediction for each sample."""
    below = below_views(side)
    return below is None or name_of(below) == "AccumulateGrad"


def _squares(prediction: Shape, both: Shape) -> bool:
    """The batch meets itself: what was expanded is as large as the batch. Else it may be a grid of anchors."""
    return prediction[0] > 1 and product(both) == product(prediction) * prediction[0]


def _is_dimensions_apart(prediction: Shape, target: Shape) -> bool:
    """They differ by dimensions of size one only, as (N, C, 1, 1) and (N, C) do."""
    squeezed = [tuple(size for size in shape if size > 1) for shape in (prediction, target)]
    return squeezed[0] == squeezed[1] != () and prediction[0] == squeezed[0][0] > 1


def _is_turned(side: Node | None) -> bool:
    while side is not None and name_of(side) in VIEWS:
        below = children(side)[0]
        if name_of(side) in _TURNS or _adds_dimension(side, below):
            return True
        side = below
    return False


def _adds_dimension(view: Node, below: Node | None) -> bool:
    mine, inner = shape_of(view), shape_of(below) if below is not None else None
    return mine is not None and inner is not None and 1 in mine and len(mine) > len(inner)


def settle(found: Sequence[Broadcast | None]) -> list[tuple[Shape, ...]]:
    """Shapes to tell for each term. One pairwise term shows that the others are meant as well: an energy distance."""
    if any(broadcast is not None and broadcast.is_meant for broadcast in found):
        return [() for _ in found]
    return [() if broadcast is None else broadcast.shapes for broadcast in found]
