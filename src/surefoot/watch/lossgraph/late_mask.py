"""A mask that is multiplied into a loss which is one number by then, so that it leaves nothing out."""

from __future__ import annotations

from itertools import accumulate
from operator import mul

from surefoot.watch.lossgraph.loss_mask import is_mask, mask_of
from surefoot.watch.lossgraph.node import VIEWS, Node, children, is_scalar, name_of, saved, shape_of
from surefoot.watch.lossgraph.reading import KINDS

MAX_NODES = 24  # of a term, from its reducer down
PASSED = frozenset(("Add", "Sub", "Neg", "Div", *VIEWS))
SCALED = frozenset(("Neg", "Mul", "Div"))
MEAN = 1  # as nodes of losses keep it


def late_mask(term: Node) -> tuple[int, int] | None:
    """How many elements the mask keeps, of how many; None without one."""
    near = [term] if name_of(term) in ("Sum", "Mean") else []
    for node in near:
        for child in children(node):
            if child is None or is_scalar(child) or len(near) >= MAX_NODES:
                continue
            if name_of(child) == "Mul" and (counts := _counts(child)) is not None:
                return counts
            if name_of(child) in PASSED:
                near.append(child)
    return None


def _counts(product: Node) -> tuple[int, int] | None:
    arguments = children(product)
    factor = next((child for child in arguments if child is not None), None)
    if arguments.count(None) != 1 or factor is None or not is_scalar(factor):
        return None
    mask, _ = mask_of(product)
    if not is_mask(mask) or not _is_of_its_elements(factor, mask.numel()):
        return None
    kept = int(mask.count_nonzero())
    return (kept, mask.numel()) if 0 < kept < mask.numel() else None


def _is_of_its_elements(node: Node | None, num: int) -> bool:
    """Whether the number was averaged over elements of which the mask has one each, or over several for each.

    A sum over just as many may be meant as one number, such as the likelihood of a whole episode.
    """
    while node is not None and name_of(node) in SCALED and children(node).count(None) <= 1:
        node = next((child for child in children(node) if child is not None), None)
    if node is None:
        return False
    name = name_of(node)
    if name in ("Mean", "Sum"):
        below = children(node)[0]
        shape = None if below is None else shape_of(below)
    elif name in KINDS and getattr(node, "_saved_reduction", None) == MEAN:
        own = saved(node, "self")
        shape = None if own is None else tuple(own.shape)
    else:
        return False
    sizes = list(accumulate(shape or (), mul))
    return num in (sizes[:-1] if name == "Sum" else sizes)
