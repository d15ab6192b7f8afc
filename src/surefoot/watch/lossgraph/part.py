"""From the terms at the root to the facts of the whole loss."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from surefoot.facts import LossFacts, Site
from surefoot.watch.lossgraph.broadcast import Broadcast, of_call, of_graph, settle
from surefoot.watch.lossgraph.feed import fed_by, operations
from surefoot.watch.lossgraph.late_mask import late_mask
from surefoot.watch.lossgraph.loss_call import LossCall
from surefoot.watch.lossgraph.loss_mask import Kept
from surefoot.watch.lossgraph.node import children, name_of, saved
from surefoot.watch.lossgraph.pick import class_dim, overlap_of
from surefoot.watch.lossgraph.reading import count_valid, product, read_term
from surefoot.watch.lossgraph.root import Term
from surefoot.watch.lossgraph.values import is_readable
from surefoot.watch.lossgraph.weighed import crossed_weights

# Losses that compare element by element and broadcast without complaint.
ELEMENTWISE = frozenset({"mse", "l1", "smooth-l1", "huber", "poisson-nll"})
SAVED = {"self": "input", "target": "target"}  # what nodes keep, and what it is

# Factor, num_items, num_valid, num_classes, what a mask keeps.
Amounts = tuple[float | None, int | None, int | None, int | None, Kept | None]
Deeper = dict[str, Any]  # fields of LossFacts that are read only now and then


@dataclass(slots=True)
class Part:
    """One term: what is cheap to tell, and its nodes for a deeper look while the graph lives."""

    chain: tuple[str, ...]
    kind: str
    reduction: str
    amounts: Amounts
    root: Any
    node: Any  # the loss proper, below a hand-written mean or sum
    call: LossCall | None = None
    index: int = 0  # among all terms

    @property
    def site(self) -> Site | None:
        return self.call.place.site if self.call is not None else None

    def facts(self, deeper: Deeper, site: Callable[[int], Site | None]) -> LossFacts:
        factor, num_items, num_valid, num_classes, kept = self.amounts
        return LossFacts(
            self.chain, self.kind, self.reduction, factor, num_items, num_classes, self.site or site(self.index),
            num_valid=num_valid, num_kept=None if kept is None else kept.num,
            drops_ends=kept is not None and kept.drops_ends, **deeper,
        )  # fmt: skip


def read_part(term: Term, call_of: Callable[[Any], LossCall | None], *, thorough: bool) -> Part:
    reading = read_term(term.node, call_of, thorough=thorough)
    kind, reduction, num_items, num_valid = reading.kind, reading.reduction, reading.num_items, reading.num_valid
    kept = reading.kept
    call = call_of(term.node) or (call_of(reading.node) if reading.node is not term.node else None)
    if call is None:
        amounts: Amounts = (term.factor, num_items, num_valid, None, kept)
        return Part(term.chain, kind, reduction, amounts, term.node, reading.node)
    place = call.place
    if reduction == "":  # torch computed it by several operations
        kind, reduction = place.kind, place.reduction
        num_items, num_valid = _count(term.node, call, thorough=thorough)
    elif place.kind != "nll":  # both functions return an NllLoss node: what is under it tells cross-entropy from NLL
        kind = place.kind
    if reduction == "batchmean":
        reduction, num_items = "mean", call.input_shape[0]
    amounts = (term.factor, num_items, num_valid, _classes(kind, call.input_shape), kept)
    return Part(term.chain, kind, reduction, amounts, term.node, reading.node, call)


def look_deeper(parts: Sequence[Part], *, finite: bool) -> list[Deeper]:
    """What made the predictions and how they met their targets, part by part."""
    broadcasts = settle([_broadcast(part) for part in parts])
    found = []
    for part, broadcast in zip(parts, broadcasts, strict=True):
        place = part.call.place if part.call is not None else None
        deeper: Deeper = {"fed_by": fed_by(part.node, part.kind), "broadcast": broadcast}
        deeper["late_mask"] = late_mask(part.root)
        if part.call is not None:
            deeper["weighed"] = crossed_weights(part.root, part.node)
        if part.kind == "log-likelihood":
            deeper["class_dim"] = class_dim(part.root)
        elif part.call is None and (overlap := overlap_of(part.root)) is not None:
            deeper |= {"class_dim": 1, "fed_by": operations(overlap)}
        if place is not None:
            deeper |= {"is_weighted": place.is_weighted, "label_smoothing": place.label_smoothing}
            deeper |= {"input": place.input, "target": place.target}
        if not finite:
            deeper["bad"] = tuple(name for what, name in SAVED.items() if _holds_non_finite(saved(part.node, what)))
        found.append(deeper)
    return found


def _broadcast(part: Part) -> Broadcast | None:
    if part.call is None:
        return of_graph(part.root)
    return of_call(part.call, part.node) if part.kind in ELEMENTWISE else None


def _holds_non_finite(value: Any) -> bool:
    return is_readable(value) and value.is_floating_point() and not bool(value.isfinite().all())


def _count(node: Any, call: LossCall, *, thorough: bool) -> tuple[int | None, int | None]:
    """Items and valid targets of a loss whose node is only its last operation."""
    shape = call.input_shape
    if call.place.kind != "cross-entropy":
        return product(shape), None
    if call.place.label_smoothing:
        for _ in range(3):  # the NllLoss lies under the sum and the weight of the smoothed half
            node = next((child for child in children(node) if child is not None), None)
            if node is None:
                break
            if name_of(node).startswith("NllLoss"):
                num_valid = count_valid(node, thorough=thorough)
                return num_valid, num_valid
        return None, None
    classes = _classes("cross-entropy", shape)
    return (product(shape) // classes if classes else None), None


def _classes(kind: str, shape: Sequence[int]) -> int | None:
    if kind not in ("cross-entropy", "nll") or not shape:
        return None
    return int(shape[1] if len(shape) > 1 else shape[0])


def _wiring(part: LossFacts) -> Hashable:
    """One line computes the losses of several heads, which need not be given the same."""
    return bool(part.broadcast), bool(part.weighed), tuple((op.name, op.dim) for op in part.fed_by)


def combine(parts: Sequence[LossFacts], trunk: float | None, site: Callable[[], Site | None]) -> LossFacts:
    """One record of a loss that may add up several; `trunk` is the factor they share."""
    if not parts:
        return LossFacts(site=site())
    first = parts[0]
    if len(parts) == 1:
        return first
    num_items = first.num_items if all(p.num_items == first.num_items for p in parts) else None
    different = {(p.chain[-1:], p.kind, p.reduction, p.num_classes, p.site, _wiring(p)): p for p in reversed(parts)}
    if len(different) == 1:
        return replace(first, factor=trunk, num_items=num_items, num_terms=len(parts))
    return LossFacts(
        ("Add",),
        "combined",
        first.reduction if all(p.reduction == first.reduction for p in parts) else "",
        trunk,
        num_items,
        site=site(),
        terms=tuple(reversed(different.values())),
        num_terms=len(parts),
    )
