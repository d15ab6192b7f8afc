"""Count the targets of padded positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from surefoot.watch.seq.align import Layout

FEWEST_LENGTHS = 3  # of rows that are filled up, and of what fills them: fewer come about by chance
FEWEST_ASKED = 4  # targets of masked positions in a batch
MASKED = 0.6  # of these: BERT leaves or changes a fifth of the tokens it asks for
FEWEST_LAST = 4  # tokens that something may follow: a state that is never left is entered from few others


@dataclass(slots=True)
class Padding:
    target: int  # of padded positions
    num_targets: int
    num_counted: int
    is_a_class: bool  # positions that are not padded have that target, too
    mask_token: int | None = None  # that stands where a target is asked for, if all others have the padding index


def padding_in(layout: Layout, shift: int | None, padding_idx: int, ignore_index: int) -> Padding | None:
    """Of targets that are tokens themselves, or else have one value wherever the input is padded."""
    padded = _runs(layout.ids, padding_idx)
    if padded is None:
        return None
    if shift is not None:
        target, where = padding_idx, _runs(layout.targets, padding_idx)
        if where is None:
            return None
        where = where & _follows_another(where)  # the first may be the end of the text, which is to be learned
    elif layout.targets.shape == layout.ids.shape and padded.any():
        values = layout.targets[padded]
        target, where = int(values[0]), padded
        if not bool((values == target).all()):
            return None
    else:
        return None
    num = int(where.sum())
    if not num or target == ignore_index:
        return None
    is_a_class = shift is None and bool((layout.targets[~padded] == target).any())
    return Padding(target, num, int((layout.targets != ignore_index).sum()), is_a_class)


def labels_left_blank(layout: Layout, padding_idx: int, ignore_index: int) -> Padding | None:
    """Masked tokens are asked for, and the targets of all other positions are the padding index."""
    ids, targets = layout.ids, layout.targets
    if ids.shape != targets.shape or padding_idx == ignore_index:
        return None
    counts, is_blank = targets != ignore_index, targets == padding_idx
    asked = counts & ~is_blank
    num_asked, num_blank = int(asked.sum()), int((is_blank & (ids != padding_idx)).sum())
    if num_asked < FEWEST_ASKED or num_blank < num_asked:
        return None
    tokens, numbers = ids[asked].unique(return_counts=True)  # type: ignore[no-untyped-call]
    mask = int(tokens[numbers.argmax()])
    if int(numbers.max()) < MASKED * num_asked or bool((ids[~asked] == mask).any()) or bool((targets == mask).any()):
        return None
    return Padding(padding_idx, int(is_blank.sum()), int(counts.sum()), is_a_class=False, mask_token=mask)


def unnamed_padding(ids: Tensor, left_out: Sequence[Tensor] = ()) -> int | None:
    """The value that fills up rows of different length and stands nowhere else, where no `padding_idx` tells it.

    `left_out` are the keys that attention leaves out. Without any, a state that is never left looks the same.
    """
    for rows in (ids, ids.t()) if ids.dim() == 2 and ids.numel() else ():
        for column in (-1, 0):
            values, counts = rows[:, column].unique(return_counts=True)  # type: ignore[no-untyped-call]
            value = int(values[counts.argmax()])
            if _fills(rows, value, column, left_out):
                return value
    return None


def _fills(rows: Tensor, value: int, column: int, left_out: Sequence[Tensor]) -> bool:
    where = _runs(rows, value)
    if where is None:
        return False
    num_filled = where.sum(1)
    lengths = num_filled[num_filled > 0].unique()  # type: ignore[no-untyped-call]
    if len(lengths) < FEWEST_LENGTHS or int(lengths.max()) < FEWEST_LENGTHS:
        return False
    if any(_is_same(one, where) for one in left_out):
        return True
    cut = (num_filled > 0) & (num_filled < rows.shape[1])
    last = rows.shape[1] - num_filled[cut] - 1 if column else num_filled[cut]
    tokens = rows[cut].gather(1, last[:, None])
    return len(tokens.unique()) >= FEWEST_LAST  # type: ignore[no-untyped-call]


def _is_same(left_out: Tensor, where: Tensor) -> bool:
    """Every query of a sequence attends to all of it but its padding."""
    num, length = where.shape
    if left_out.shape[-1] != length or left_out.shape[0] % num:
        return False
    return bool((left_out.reshape(num, -1, length) == where[:, None]).all())


def is_token(layout: Layout, padding_idx: int) -> bool:
    """The index also stands inside sequences: it is an ordinary token, or separates texts."""
    is_other = layout.ids != padding_idx
    seen_before, seen_after = is_other.cummax(1).values, is_other.flip(1).cummax(1).values.flip(1)
    return bool((~is_other & seen_before & seen_after).any())


def _runs(values: Tensor, padding_idx: int) -> Tensor | None:
    """Where rows are padded; None unless that is at their ends only, in rows of different length, now and then long."""
    is_padding = values == padding_idx
    lengths = (~is_padding).sum(1)
    if not is_padding.any() or int(lengths.min()) == int(lengths.max()):
        return None
    mixed = is_padding[lengths > 0]
    at_end, at_start = bool(mixed[:, -1].any()), bool(mixed[:, 0].any())
    if at_end == at_start or not (mixed[:, 1:] & mixed[:, :-1]).any():
        return None
    return is_padding if int((mixed[:, 1:] != mixed[:, :-1]).sum(1).max()) == 1 else None


def _follows_another(where: Tensor) -> Tensor:
    follows = where.clone()
    follows[:, 0] = where[:, 0] & where[:, 1]
    follows[:, 1:] = where[:, 1:] & where[:, :-1]
    return follows
