"""Along which dimension a hand-written log-likelihood, or an overlap as in Dice, picks the classes out."""

from typing import Any

import torch
from torch import Tensor

from surefoot.watch.lossgraph.loss_mask import MAX_ELEMENTS, is_mask
from surefoot.watch.lossgraph.node import Node, below_views, children, name_of, saved, shape_of, signed

MAX_NODES = 16


@torch.no_grad()
def class_dim(root: Node) -> int | None:
    """1 when the picking between `root` and the softmax proves that each row is a sample."""
    node: Node | None = root
    for _ in range(MAX_NODES):
        name = name_of(node) if node is not None else ""
        if node is None or name in ("Softmax", "LogSoftmax"):
            return None
        inner = [child for child in children(node) if child is not None]
        if name == "Gather" and signed(saved(node, "dim")) in (1, -1):
            return 1
        if name == "Index" and _picks_one_a_row(saved(node, "indices")):
            return 1
        if name == "Mul" and len(inner) == 1 and _is_one_of_each_row(_constant(node)):
            return 1
        node = inner[0] if inner else None
    return None


@torch.no_grad()
def overlap_of(root: Node) -> Node | None:
    """The softmax whose result is multiplied by one-hot targets with their classes in dimension 1."""
    node: Node | None = root
    for _ in range(MAX_NODES):
        inner = [] if node is None else [child for child in children(node) if child is not None]
        if not inner:
            return None
        below = below_views(inner[0])
        if name_of(node) == "Mul" and len(inner) == 1 and below is not None and name_of(below) == "Softmax":
            weights = _constant(node)
            is_one_hot = _has_classes_second(weights) and tuple(weights.shape) == shape_of(below)
            return below if is_one_hot else None
        node = inner[0]
    return None


def _has_classes_second(weights: Any) -> bool:
    """Zeros and ones, with a single one along dimension 1, and not along the one before it as well."""
    if type(weights) is not Tensor or not weights.is_cpu or weights.dim() < 2 or weights.shape[0] == weights.shape[1]:
        return False
    if weights.shape[1] < 2 or not 1 < weights.numel() <= MAX_ELEMENTS or not is_mask(weights):
        return False
    return bool((weights.sum(1) == 1).all()) and not bool((weights.sum(0) == 1).all())


def _constant(product: Node) -> Any:
    return saved(product, "other" if children(product)[0] is not None else "self")


def _picks_one_a_row(indices: Any) -> bool:
    if not isinstance(indices, tuple) or len(indices) != 2 or not isinstance(indices[0], Tensor):
        return False
    rows = indices[0]
    return rows.dim() == 1 and bool((rows == torch.arange(len(rows), device=rows.device)).all())


def _is_one_of_each_row(weights: Any) -> bool:
    """A distribution over each row, as one-hot targets are, and not over each column as well."""
    if not isinstance(weights, Tensor) or weights.dim() != 2 or weights.shape[0] == weights.shape[1]:
        return False
    rows, columns = weights.float().sum(1), weights.float().sum(0)
    return bool(((rows - 1).abs() < 1e-3).all()) and not bool(((columns - 1).abs() < 1e-3).all())
