"""Masks between the loss of each element and the mean or sum over all of them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from surefoot.watch.lossgraph.node import VIEWS, Node, children, name_of, saved, shape_of

MAX_NODES = 6
MAX_ELEMENTS = 1 << 22  # of a mask that is looked through


def count_kept(reducer: Node, loss: Node) -> int | None:
    """How many elements a mask of zeros and ones leaves in what `reducer` adds up, if there is exactly one mask.

    None also where anything else lies between the mask and the loss of each element, and for a single sequence.
    """
    masks: list[tuple[Any, bool, Node]] = []
    node = children(reducer)[0]
    for _ in range(MAX_NODES):
        if node is None or node is loss:
            break
        if name_of(node) not in VIEWS and name_of(node) != "Neg":
            masks.append((*mask_of(node), node))
        inner = [child for child in children(node) if child is not None]
        node = inner[0] if len(inner) == 1 else None
    if node is not loss or len(masks) != 1:
        return None
    mask, drops, at = masks[0]
    shape = shape_of(at)
    if shape is None or shape[:1] == (1,) or not is_mask(mask):  # one sequence: its own mean may be what is meant
        return None
    kept = mask.count_nonzero() if not drops else (mask == 0).count_nonzero()
    size = torch.Size(shape).numel()
    return int(kept) * (size // mask.numel()) if size % mask.numel() == 0 else None


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
