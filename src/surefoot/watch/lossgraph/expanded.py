"""Tell from values that a target was expanded over the batch: before the loss, or by it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from surefoot.watch.lossgraph.values import is_readable

Shape = tuple[int, ...]

TOLERANCE = 1e-4  # of the largest difference: rounding of float32 is 1e-7, values of real targets differ by far more
MIN_BATCH = 4  # smaller matrices are often products of two vectors by chance
MAX_ELEMENTS = 1 << 22


def shape_of_constant(difference: Any, prediction: Shape, both: Shape) -> Shape | None:
    """The target is not kept by the graph. Was it expanded over the batch, or is it as large as the difference?

    Where prediction p(i) met target t(j), the difference p(i) - t(j) changes from one i to the next by the same for all
    j; a target t(i, j) would change it by something else for each. A target a(i) + b(i) t(j) was expanded before.
    """
    axes = _axes(prediction, both)
    if axes is None or not is_readable(difference) or tuple(difference.shape) != both:
        return None
    batch, expanded = axes
    matrix = difference.detach().movedim((batch, expanded), (0, 1)).reshape(both[batch], both[expanded])
    if not _is_sum(matrix):
        return both if _is_spread(matrix) else None
    if torch.equal(matrix, matrix[:, :1].expand_as(matrix)):  # each sample has met its own target, many times
        return None
    target = [1 if d == batch else size for d, size in enumerate(both)]
    while target and target[0] == 1:
        target.pop(0)
    return tuple(target)


def is_spread(target: Any, prediction: Shape) -> bool:
    """Whether a square target holds a(i) + b(i) t(j) for each sample i: values of other samples were mixed in."""
    if not is_readable(target) or target.dim() != 2 or target.shape[0] != target.shape[1]:
        return False
    if _axes(prediction, tuple(target.shape)) is None:
        return False
    return _is_spread(target.detach()) or _is_spread(target.detach().t())


def is_outer(difference: Any, prediction: Shape, both: Shape) -> bool:
    """Whether a prediction (N, C, 1, 1) met a target (N, C): all of its values with all of the target's."""
    half = len(both) // 2
    if not is_readable(difference) or tuple(difference.shape) != both or half < 2 or both[0] < 2:
        return False
    if both[:half] != both[half:] or prediction != (*both[:half], *(1,) * half):
        return False
    return _is_sum(difference.detach().reshape(torch.Size(both[:half]).numel(), -1))


def _axes(prediction: Shape, both: Shape) -> tuple[int, int] | None:
    """Of the batch, and the one along which the prediction was expanded."""
    padded = (1,) * (len(both) - len(prediction)) + prediction
    expanded = [d for d, size in enumerate(both) if size > 1 and padded[d] == 1]
    batch = [d for d, size in enumerate(both) if padded[d] == size > 1][:1]
    return (batch[0], expanded[0]) if len(expanded) == 1 and batch else None


@torch.no_grad()
def _is_sum(matrix: Tensor) -> bool:
    """Whether it is a(i) + b(j)."""
    change = matrix - matrix[:1]
    return bool((change - change[:, :1]).abs().amax() <= TOLERANCE * matrix.abs().amax())


@torch.no_grad()
def _is_spread(matrix: Tensor) -> bool:
    """Whether it is a(i) + b(i) c(j), and most rows and columns differ."""
    if len(matrix) < MIN_BATCH or matrix.numel() > MAX_ELEMENTS or not matrix.is_floating_point():
        return False
    change = (matrix - matrix[:, :1]).double()
    largest = change.abs().amax()
    if not bool(largest > TOLERANCE * matrix.abs().amax()):
        return False
    row, column = divmod(int(change.abs().argmax()), change.shape[1])
    product = change[:, column, None] * change[row] / change[row, column]
    distinct = [len(set(matrix.select(axis, index).tolist())) for axis, index in ((0, row), (1, column))]
    is_product = bool((change - product).abs().amax() <= TOLERANCE * largest)
    return is_product and min(distinct) > len(matrix) // 2
