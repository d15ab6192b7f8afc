"""Tell from a loss's node what kind of loss it is, how it reduces and what a mean is taken over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from surefoot.watch.lossgraph.loss_mask import Kept, count_kept
from surefoot.watch.lossgraph.node import Node, below_views, children, name_of, number, saved, shape_of, signed

KINDS = {
    "NllLoss": "nll", "NllLoss2D": "nll", "MseLoss": "mse", "SmoothL1Loss": "smooth-l1", "HuberLoss": "huber",
    "BinaryCrossEntropyWithLogits": "bce-with-logits", "BinaryCrossEntropy": "bce", "MultiMarginLoss": "multi-margin",
    "MultilabelMarginLoss": "multilabel-margin", "SoftMarginLoss": "soft-margin", "CtcLoss": "ctc",
}  # fmt: skip
_REDUCTIONS = ("none", "mean", "sum")
_DEPTH = 8  # how far under a hand-written mean the loss is looked for
_LOGARITHMS = frozenset({"LogSoftmax", "Log"})
# What is done between the loss of each element and a mean over all: weights, masks, signs, sums over outputs.
_ON_THE_WAY = frozenset({
    "Mul", "Div", "Neg", "Where", "MaskedFill", "Sqrt", "Clamp", "ClampMin", "ClampMax", "Mean", "Sum", "Gather",
})  # fmt: skip


@dataclass(slots=True)
class Reading:
    """What a term is. `node` is the loss proper, below a hand-written mean or sum."""

    node: Node
    kind: str
    reduction: str
    num_items: int | None = None
    num_valid: int | None = None
    kept: Kept | None = None  # by a mask that is multiplied into the loss of each element


IsCall = Callable[[Node], object]  # whether a function of torch is known to have returned this node


def read_term(node: Node, is_call: IsCall, *, thorough: bool) -> Reading:
    """`thorough` allows what is not free: looking through targets, waiting for another device."""
    name = name_of(node)
    if name in ("Mean", "Sum"):
        reading = _read_reducer(name, node, is_call)
        if thorough and reading.node is not node:
            reading.kept = count_kept(node, reading.node)
    elif name in KINDS:
        reduction = getattr(node, "_saved_reduction", None)
        how = _REDUCTIONS[reduction] if reduction in (0, 1, 2) else ""
        reading = Reading(node, _kind(name, node), how, _elements(node) if name[:7] != "NllLoss" else None)
    else:
        return Reading(node, "", "")
    if reading.kind == "nll" or (reading.kind == "cross-entropy" and name_of(reading.node)[:7] == "NllLoss"):
        reading.num_valid = count_valid(reading.node, thorough=thorough)
        if reading.node is node:
            reading.num_items = reading.num_valid
    return reading


def _read_reducer(name: str, node: Node, is_call: IsCall) -> Reading:
    reduction = name.lower()
    shape = saved(node, "self_sym_sizes")
    num_items = product(shape) if shape is not None else None
    if name == "Mean" and num_items is not None:
        num_items *= _averaged_before(below_views(children(node)[0]))
    inner, kind = _inside(children(node)[0], is_call)
    if inner is not None:
        return Reading(inner, kind, reduction, num_items)
    return Reading(node, reduction, reduction, num_items)


def _averaged_before(node: Node | None) -> int:
    """Of `x.mean(0).mean()`, how many values each value that is averaged last is the mean of."""
    num = 1
    while node is not None and name_of(node) == "Mean":
        before, after = saved(node, "self_sym_sizes"), shape_of(node)
        if before is None or after is None:
            break
        num *= product(before) // max(product(after), 1)
        node = below_views(children(node)[0])
    return num


def _inside(node: Node | None, is_call: IsCall) -> tuple[Node | None, str]:
    """The element-wise loss that a mean or a sum was taken of, and its kind where the node tells."""
    for _ in range(_DEPTH):
        node = below_views(node)
        if node is None:
            break
        name = name_of(node)
        if name in KINDS:
            return node, _kind(name, node)
        if name == "Abs" and _is_difference(node):
            return node, "l1"
        if (name == "Pow" and saved(node, "exponent") == 2 and _is_difference(node)) or _is_product_with_itself(node):
            return node, "mse"
        if is_call(node):
            return node, ""
        if name in _LOGARITHMS:
            return node, "log-likelihood"
        if name == "Sub" and (normaliser := _normaliser(node)) is not None:
            return normaliser, "log-likelihood"
        if name not in _ON_THE_WAY:
            break
        inner = [child for child in children(node) if child is not None]
        if len(inner) != 1:
            return _weighted_by_itself(inner, is_call) if name == "Mul" else (None, "")
        node = inner[0]
    return None, ""


def _normaliser(difference: Node) -> Node | None:
    """The logsumexp of `x.logsumexp(1) - x.gather(1, target)`, which is a cross-entropy written out."""
    below = [below_views(child) for child in children(difference)]
    for first, other in (below, below[::-1]):
        if first is None or other is None or name_of(first) != "Logsumexp" or children(first)[0] is None:
            continue
        scores = below_views(children(first)[0])
        picked = below_views(children(other)[0]) if name_of(other) == "Gather" else other  # indexing is a view
        if scores is not None and scores is picked:
            return first
    return None


def _weighted_by_itself(factors: Sequence[Node], is_call: IsCall) -> tuple[Node | None, str]:
    """The element-wise loss of a product whose other factor is made of the prediction, as in a focal loss."""
    found = []
    for factor in factors:
        node = below_views(factor)
        while node is not None and name_of(node) == "Mul" and len(children(node)) - children(node).count(None) == 1:
            node = below_views(next(child for child in children(node) if child is not None))
        if node is not None and (is_call(node) or name_of(node) in KINDS):
            found.append(node)
    if len(found) != 1:
        return None, ""
    name = name_of(found[0])
    return found[0], _kind(name, found[0]) if name in KINDS else ""


def _is_difference(node: Node) -> bool:
    below = below_views(children(node)[0])
    return below is not None and name_of(below) in ("Sub", "Rsub")


def _is_product_with_itself(node: Node) -> bool:
    arguments = children(node)
    return name_of(node) == "Mul" and len(arguments) == 2 and arguments[0] is arguments[1] and _is_difference(node)


def _kind(name: str, node: Node) -> str:
    if name.startswith("NllLoss"):
        below = below_views(children(node)[0])
        return "cross-entropy" if below is not None and name_of(below) == "LogSoftmax" else "nll"
    return KINDS[name]


def count_valid(node: Node, *, thorough: bool) -> int | None:
    """How many targets of an NllLoss node count."""
    if node._saved_reduction != 0 and saved(node, "weight") is None:  # else its total is of weights, or not kept
        total = number(saved(node, "total_weight"), may_wait=thorough)
        return None if total is None else round(total)
    target: Any = saved(node, "target")
    ignored = signed(saved(node, "ignore_index"))
    if not thorough or type(target) is not Tensor or ignored is None:
        return None
    return int((target != ignored).sum())


def _elements(node: Node) -> int | None:
    own = saved(node, "self")
    return own.numel() if isinstance(own, Tensor) else None


def product(shape: Any) -> int:
    size = 1
    for length in shape:
        size *= int(length)
    return size
