"""How much a micro-batch counts: what its loss is a mean over, read off the loss's graph.

`F.cross_entropy` keeps the total weight of its targets, so that ignored ones do not count and class weights do;
means keep the shape of what they were taken over.
"""

from __future__ import annotations

from math import isclose

from torch import Tensor

from surefoot.watch.lossgraph.node import Node, children, is_scalar, name_of, number, saved, shape_of
from surefoot.watch.lossgraph.root import MAX_NODES, Term, terms_of
from surefoot.watch.lossgraph.term import KINDS, Reading, read_term

MEAN = 1  # among torch's reductions


class UnknownWeightError(ValueError):
    """The weight of a micro-batch matters and can't be known."""


def weight_of(loss: Tensor) -> float:
    """The number of items that `loss` is a mean over."""
    plain = None if loss.grad_fn is None else _of_plain(loss.grad_fn)
    if plain is not None:
        return plain
    terms = terms_of((loss,), None, _means(loss.grad_fn), {}, may_wait=True).terms
    readings = [read_term(term.node, lambda _: False, thorough=True) for term in terms]
    weights = [_weight(reading) for reading in readings]
    if len(terms) == 2 and _is_label_smoothing(terms, readings, weights[0]):
        weights = weights[:1]
    if not weights:
        raise UnknownWeightError(_ADVICE.format("has no graph that tells what it is a mean over"))
    if None in weights:
        kinds = ", ".join(sorted({term.chain[-1] for term, w in zip(terms, weights, strict=True) if w is None}))
        raise UnknownWeightError(_ADVICE.format(f"ends in {kinds}, which does not tell what it is a mean over"))
    if len(set(weights)) > 1:
        counts = " and ".join(f"{w:g}" for w in dict.fromkeys(weights) if w is not None)
        raise UnknownWeightError(_ADVICE.format(f"adds up means over {counts} items"))
    assert weights[0] is not None
    return weights[0]


def _of_plain(node: Node) -> float | None:
    """Of a loss that one function of torch computed, which is most of them: no need to look further."""
    what = _counted_by.get(type(node)) or _counted(node)
    if not what or getattr(node, "_saved_reduction", None) != MEAN:
        return None
    found = saved(node, what)
    if what == "total_weight":
        return number(found, may_wait=True)
    return float(found.numel()) if isinstance(found, Tensor) else None


def _counted(node: Node) -> str:
    """Which of the tensors that it keeps tells the items: torch has a type for each kind of node."""
    name = name_of(node)
    what = "" if name not in KINDS else "total_weight" if name.startswith("NllLoss") else "self"
    if what:
        _counted_by[type(node)] = what
    return what


_counted_by: dict[type, str] = {}


def _is_label_smoothing(terms: list[Term], readings: list[Reading], weight: float | None) -> bool:
    """Torch adds a sum over all classes, divided by weight and number of classes: the shares of both make up one."""
    shares = [term.factor for term in terms]
    sizes = shape_of(readings[1].node)
    if weight is None or None in shares or readings[1].kind != "log-likelihood" or not sizes:
        return False
    num_classes = sizes[1] if len(sizes) > 1 else sizes[0]
    return isclose(abs(shares[0] or 0) + abs(shares[1] or 0) * weight * num_classes, 1.0, rel_tol=1e-4)


def _means(node: Node | None) -> set[int]:
    """Means at the root: also one over a single item is a mean, though it looks like a scalar handed on."""
    found: set[int] = set()
    todo = [node]
    for _ in range(MAX_NODES):
        node = todo.pop() if todo else None
        if node is None:
            continue
        inner = [child for child in children(node) if child is not None]
        if name_of(node) == "Mean":
            if not (inner and name_of(inner[0]) in ("Stack", "Cat")):
                found.add(node._sequence_nr())
        elif is_scalar(node) and name_of(node) in _SCALAR_STEPS:
            todo += inner
    return found


_SCALAR_STEPS = frozenset({"Add", "Sub", "Mul", "Div", "Neg", "ToCopy"})
_ADVICE = (
    "the loss {}, so the micro-batches of a window can't be weighted. Pass the number of items it is a mean over: "
    "loop.step(weight=len(targets)), or the number of valid tokens."
)


def _weight(reading: Reading) -> float | None:
    if reading.reduction != "mean":
        return None
    if reading.num_items is None or reading.kind in ("nll", "cross-entropy"):
        total = number(saved(reading.node, "total_weight"), may_wait=True)  # the sum of class weights, where given
        if total is not None:
            return total
    return None if reading.num_items is None else float(reading.num_items)
