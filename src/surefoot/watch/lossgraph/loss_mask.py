"""Masks between the loss of each element and the mean or sum over all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from surefoot.watch.lossgraph.node import VIEWS, Node, children, name_of, saved, shape_of

MAX_NODES = 6
MAX_ELEMENTS = 1 << 22  # of a mask that is looked through


@dataclass(frozen=True, slots=True)
class Kept:
    """What a mask leaves of the elements that a mean or a sum is taken over."""

    num: int
    drops_ends: bool  # what it drops are the ends or the beginnings of rows


def count_kept(reducer: Node, loss: Node) -> Kept | None:
    """What a mask of zeros and ones leaves in what `reducer` adds up, if there is exactly one mask.

    None also where anything else lies between the mask and the loss of each element, and for a single sequence.
    """
    masks: list[tuple[Any, bool, Node]] = []
    node = children(reducer)[0]
    for _ in range(MAX_NODES):
        if node is None or node is loss:
            break
        is_of_outputs = bool(masks) and name_of(node) in ("Mean", "Sum")  # of each element, as in `.mean(-1) * mask`
        if name_of(node) not in VIEWS and name_of(node) != "Neg" and not is_of_outputs:
            masks.append((*mask_of(node), node))
        inner = [child for child in children(node) if child is not None]
        node = inner[0] if len(inner) == 1 else None
    if node is not loss or len(masks) != 1:
        return None
    mask, drops, at = masks[0]
    shape = shape_of(at)
    if shape is None or shape[:1] == (1,) or not is_mask(mask):  # one sequence: its own mean may be what is meant
        return None
    kept = (mask == 0) if drops else (mask != 0)
    size = torch.Size(shape).numel()
    if size % mask.numel():
        return None
    return Kept(int(kept.count_nonzero()) * (size // mask.numel()), _drops_ends(kept))


@torch.no_grad()
def _drops_ends(kept: Tensor) -> bool:
    """Whether each row along the second dimension is kept up to a place, or from a place on: padding, as a rule."""
    if kept.dim() < 2 or kept.shape[1] < 2:
        return False
    changes = kept[:, 1:].int() - kept[:, :-1].int()
    return bool((changes <= 0).all()) or bool((changes >= 0).all())


def mask_of(node: Node) -> tuple[Any, bool]:
    """The tensor, and whether it tells what is dropped rather than what is kept."""
    name = name_of(node)
    if name == "Mul":
        return saved(node, "self" if children(node)[0] is None else "other"), False
    if name == "MaskedFill":
        return saved(node, "mask"), True
    if name == "Where":
        return saved(node, "condition"), children(node)[0] is None
    return None, False


@torch.no_grad()
def is_mask(mask: Any) -> bool:
    if type(mask) is not Tensor or not mask.is_cpu or mask.requires_grad or not 1 < mask.numel() <= MAX_ELEMENTS:
        return False
    return mask.dtype is torch.bool or bool(((mask == 0) | (mask == 1)).all())
