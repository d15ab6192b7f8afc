"""Lay the targets of a loss on token ids: which position of which sequence is each target?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

SHIFTS = (0, 1, 2, 3)
OUTSIDE = 2  # targets at the end of each sequence that may lie behind its last id
MIN_COMPARED = 16
MIN_TOKENS = 4  # different ones: fewer agree by chance
SAME, OTHER = 0.98, 0.9  # share of targets that agree at the right shift, and at most at any other


@dataclass(slots=True)
class Layout:
    """Ids and targets as (sequence, position), whatever shape the program gives them."""

    ids: Tensor
    targets: Tensor
    index: Tensor  # of each target in the flattened targets of the program
    is_turned: bool  # the program's ids have time first


def layouts(ids: Tensor, targets: Tensor) -> Iterator[Layout]:
    """All ways to lay targets on ids that their shapes allow: either may have time first."""
    if ids.dim() == 1:
        ids = ids[None]
    if ids.dim() != 2 or targets.dim() not in (1, 2) or not targets.numel():
        return
    index = torch.arange(targets.numel(), device=targets.device).reshape(targets.shape)
    for is_turned in (False, True):
        batch_first = ids.t() if is_turned else ids
        num, length = batch_first.shape
        folded = [index, index.t()] if index.dim() == 2 else _folded(index, num)
        for places in folded:
            if places.shape[0] == num and places.shape[1] <= length:
                yield Layout(batch_first, targets.reshape(-1)[places], places, is_turned)


def _folded(index: Tensor, num: int) -> list[Tensor]:
    if not num or len(index) % num:
        return []
    return [index.view(num, -1), index.view(-1, num).t()] if num > 1 else [index[None]]


def laid(ids: Tensor, targets: Tensor, ignore_index: int, padding_idx: int | None) -> tuple[list[Layout], int | None]:
    """How targets lie on the ids, and by how much they are moved: None where they are something else of the same shape.

    Where nothing is moved, the values do not tell which dimension is time: then there are two ways.
    """
    found = [(one, shift_of(one, ignore_index, padding_idx)) for one in layouts(ids, targets)]
    shifts = {shift for _, shift in found if shift is not None}
    if len(shifts) == 1:
        (shift,) = shifts
        return [one for one, by in found if by == shift], shift
    return [one for one, _ in found if one.targets.shape == one.ids.shape and not shifts], None


def shift_of(layout: Layout, ignore_index: int, padding_idx: int | None) -> int | None:
    """By how many positions the ids must be moved to be the targets; None if they are something else."""
    counts = layout.targets != ignore_index
    if padding_idx is not None:
        counts &= layout.targets != padding_idx
    shares = {shift: _share(layout, counts, shift) for shift in SHIFTS}
    best = max(shares, key=lambda shift: shares[shift])
    if shares[best] < SAME or any(share > OTHER for shift, share in shares.items() if shift != best):
        return None
    return best


def _share(layout: Layout, counts: Tensor, shift: int) -> float:
    length = min(layout.targets.shape[1], layout.ids.shape[1] - shift)
    if length < layout.targets.shape[1] - OUTSIDE or length < 2:
        return 0.0
    targets, counted = layout.targets[:, :length], counts[:, :length]
    num_compared = int(counted.sum())
    num_tokens = len(targets[counted].unique())  # type: ignore[no-untyped-call]
    if num_compared < MIN_COMPARED or num_tokens < MIN_TOKENS:
        return 0.0
    same = (targets == layout.ids[:, shift : shift + length]) & counted
    return int(same.sum()) / num_compared
