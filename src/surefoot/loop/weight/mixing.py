"""Losses that compare the items of a micro-batch with each other, such as contrastive ones.

One large batch would compare more of them, so no weight makes micro-batches equal to it. Only what lies between the
loss and the model's last weights is looked at: what a model does with a sequence or a graph stays within one sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from surefoot.loop.weight.error import mixing
from surefoot.loop.weight.regulariser import is_item_free
from surefoot.loop.weight.terms import reductions_of
from surefoot.watch.lossgraph.node import Node, below_views, children, name_of, saved, shape_of, signed
from surefoot.watch.lossgraph.reading import KINDS, product

MAX_NODES = 256
_DISTANCES = frozenset({"Cdist", "EuclideanDist", "Pdist"})
_PAIRING = frozenset({"Add", "Sub", "Rsub", "Mul", "Div", "Minimum", "Maximum", "Pow"})
# Operations along some dimensions, each value of which depends on all the values along them.
_ALONG = frozenset({
    "Softmax", "LogSoftmax", "Logsumexp", "Cumsum", "Cumprod", "Cummax", "Cummin", "Logcumsumexp", "Topk", "Kthvalue",
    "Sort", "Max", "Min", "Amax", "Amin", "LinalgVectorNorm", "Norm",
})  # fmt: skip
Shape = tuple[int, ...]


def refuse_mixing(loss: Tensor) -> None:
    """A loss in which the loss of an item depends on other items of its micro-batch."""
    for reduction in reductions_of(loss):
        _look_below(reduction.node)


def _look_below(root: Node) -> None:
    num_items = _num_items(root)
    todo, seen = [root], {root}
    reached: dict[Node, bool] = {}  # in the order of its items, or in another one
    for _ in range(MAX_NODES):
        if not todo:
            return
        node = todo.pop()
        found = _mixes(node, num_items)
        if found:
            raise mixing(found)
        if node is not root and _is_of_model(node):
            continue
        for child in children(node):
            if child is None or name_of(child) in ("Stack", "Cat"):  # each part has its own rows
                continue
            moved = _is_moved(node)
            if reached.setdefault(child, moved) != moved:
                raise mixing("each item of a micro-batch with another one of it")
            if child not in seen:
                seen.add(child)
                todo.append(child)


def _num_items(root: Node) -> int:
    name = name_of(root)
    own = saved(root, "target" if name.startswith("NllLoss") else "self") if name in KINDS else None
    shape: Sequence[int] = own.shape if isinstance(own, Tensor) else saved(root, "self_sym_sizes") or ()
    return int(shape[0]) if len(shape) else 0


def _is_of_model(node: Node) -> bool:
    """It uses weights. A single one, such as a learned temperature, may belong to the loss."""
    for child in children(node):
        under = below_views(child)
        if under is not None and name_of(under) == "AccumulateGrad" and _num_values(child, under) > 1:
            return True
    return False


def _num_values(child: Any, under: Any) -> int:
    """Of a part of a parameter, such as `self.scale[0]`, only these are used."""
    is_whole = name_of(child) == "AccumulateGrad"
    return int(under.variable.numel() if is_whole else product(shape_of(child) or ()))


def _mixes(node: Node, num_items: int) -> str:
    """How, in words; nothing if it does not."""
    name, shape = name_of(node), shape_of(node) or ()
    if name in _DISTANCES:
        return "distances between the items of a micro-batch"
    if _is_product(node, name, shape) and all(map(_is_of_items, children(node))):
        return "products of the items of a micro-batch with each other"
    if name in _PAIRING and len(shape) > 1 and _pairs(node, shape):
        return "each item of a micro-batch with each other one"
    if name.startswith("NllLoss") and _targets_are_places(node):
        return "each item of a micro-batch with the others: its target is its own place"
    if len({_is_moved(child) for child in children(node) if _is_of_items(child)}) > 1:
        return "each item of a micro-batch with another one of it"
    if name in _ALONG and _runs_along_items(node, shape, num_items):
        return f"the items of a micro-batch with each other, by {name.lower()} over the batch"
    return ""


def _is_product(node: Node, name: str, shape: Shape) -> bool:
    """Of two matrices; einsum makes a stack of one of each."""
    if name == "Bmm" and shape[0] == 1:
        return min(shape[1:]) > 1 and all(len(shape_of(below_views(child)) or ()) == 2 for child in children(node))
    return name == "Mm" and min(shape) > 1


def _is_moved(node: Node | None) -> bool:
    """Whether it hands on the items in another order: where they meet those in their own, each meets another one."""
    name, shape = name_of(node), shape_of(node) or ()
    if not shape or shape[0] < 2:
        return False
    if name in ("Roll", "Flip"):
        dims = saved(node, "dims")
        return any((signed(dim) or 0) % len(shape) == 0 for dim in dims or ())
    if name not in ("Index", "IndexSelect"):
        return False
    places = saved(node, "index") if name == "IndexSelect" else next(iter(saved(node, "indices") or ()), None)
    if name == "IndexSelect" and signed(saved(node, "dim")) != 0:
        return False
    if not isinstance(places, Tensor) or places.dtype == torch.bool or places.ndim != 1 or len(places) != shape[0]:
        return False
    own = torch.arange(len(places), device=places.device)
    return bool((places.sort().values == own).all()) and not bool((places == own).all())


def _is_of_items(child: Node | None) -> bool:
    return child is not None and name_of(child) != "AccumulateGrad" and not is_item_free(child)


def _pairs(node: Node, shape: Shape) -> bool:
    """Whether rows of one argument meet all rows of the other: (n, 1) and (1, n)."""
    arguments = [child for child in children(node) if child is not None]
    if len(arguments) != 2:
        return False
    left, right = (_aligned(shape_of(argument), len(shape)) for argument in arguments)
    one, other = (left, right) if left[0] == 1 else (right, left)
    if shape[0] < 2 or one[0] != 1 or other[0] == 1:
        return False
    first = next((place for place, size in enumerate(one) if size > 1), None)
    return first is not None and other[first] == 1 and all(map(_is_of_items, arguments))


def _aligned(shape: Shape | None, rank: int) -> Shape:
    shape = shape or ()
    return (1,) * (rank - len(shape)) + shape


def _targets_are_places(node: Node) -> bool:
    target, own = saved(node, "target"), saved(node, "self")
    if not isinstance(target, Tensor) or not isinstance(own, Tensor) or target.ndim != 1 or own.ndim != 2:
        return False
    under = below_views(children(node)[0])
    while under is not None and name_of(under) in ("LogSoftmax", "Mul", "Div", "ToCopy", "Add", "Sub"):
        under = below_views(next((child for child in children(under) if child is not None), None))
    is_product = under is not None and name_of(under) == "Mm" and not _is_of_model(under)
    is_square = 1 < len(target) == own.shape[1]
    return is_product and is_square and bool((target == torch.arange(len(target), device=target.device)).all())


def _runs_along_items(node: Node, shape: Shape, num_items: int) -> bool:
    before = _shape_before(node, shape)
    if not before or before[0] < 2:
        return False
    if len(before) == 1 and before[0] != num_items and name_of(node) not in ("Topk", "Kthvalue", "Sort"):
        return False  # such as the scores of one sample's classes
    dims = saved(node, "dim")
    listed = list(dims) if isinstance(dims, list | tuple) else [dims]
    if dims is None or not listed:
        return name_of(node) not in ("Max", "Min")  # of all values: another node's business
    return any((signed(dim) or 0) % len(before) == 0 for dim in listed)


def _shape_before(node: Node, shape: Shape) -> Shape:
    sizes = saved(node, "self_sym_sizes")
    own = saved(node, "self")
    if sizes:
        return tuple(int(size) for size in sizes)
    return tuple(own.shape) if isinstance(own, Tensor) else shape
