"""Targets of a loss that the program writes out: it picks the log-probabilities of the right classes by `gather`."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from surefoot.watch.lossgraph.loss_mask import is_mask, mask_of
from surefoot.watch.lossgraph.node import VIEWS, Node, children, name_of, number, saved, signed
from surefoot.watch.lossgraph.values import is_readable

MAX_NODES = 16
IGNORED = -100  # stands for targets that a mask leaves out
_REDUCERS = frozenset({"Mean", "Sum", "Neg"})
_CUTS = frozenset({"Slice", "Select", "Narrow", "MaskedSelect", "Index", "IndexSelect"})


@dataclass(slots=True)
class Picked:
    """Scores with their classes in dimension 1, and a target for each row, as cross-entropy would be given them."""

    prediction: Tensor
    targets: Tensor
    counts_all: bool  # every target that is not `IGNORED` counts: nothing is cut out after they were picked


def picked(root: Node) -> Picked | None:
    """None where weights of another kind than masks are multiplied in, as advantages are."""
    node: Node | None = root
    masks: list[tuple[Tensor, bool]] = []
    counts_all = True
    for _ in range(MAX_NODES):
        if node is None or name_of(node) == "Gather":
            break
        name = name_of(node)
        if name in ("Mul", "MaskedFill", "Where"):
            mask, drops = mask_of(node)
            if is_mask(mask):
                masks.append((mask, drops))
            elif number(mask, may_wait=False) is None:
                return None
        elif name in _CUTS:
            counts_all = False
        elif name not in _REDUCERS and name not in VIEWS and name != "Div":
            return None
        inner = [child for child in children(node) if child is not None]
        node = inner[0] if len(inner) == 1 else None
    return None if node is None or name_of(node) != "Gather" else _at(node, masks, counts_all)


def _at(gather: Node, masks: list[tuple[Tensor, bool]], counts_all: bool) -> Picked | None:
    scores, index, dim = saved(gather, "self"), saved(gather, "index"), signed(saved(gather, "dim"))
    if not is_readable(scores) or not is_readable(index) or dim is None or scores.dim() not in (2, 3):
        return None
    dim %= scores.dim()
    rows = [size for d, size in enumerate(scores.shape) if d != dim]
    if index.shape[dim] != 1 or rows != [size for d, size in enumerate(index.shape) if d != dim] or dim == 0:
        return None
    targets = index.squeeze(dim)
    for mask, drops in masks:
        if mask.numel() != targets.numel():
            counts_all = False
        else:
            targets = targets.masked_fill((mask.reshape(targets.shape) != 0) == drops, IGNORED)
    with torch.enable_grad():
        prediction = scores.movedim(dim, 1)
    return Picked(prediction, targets, counts_all)
