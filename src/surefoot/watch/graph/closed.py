"""Layers of zeros behind each other: the first puts out 0, the second passes on a gradient of 0, and so for ever."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

MAX_NODES = 5_000  # of a graph that is walked
TURNS = frozenset(("TBackward0", "TransposeBackward0", "PermuteBackward0", "ViewBackward0"))


class ClosedPair(NamedTuple):
    first: Tensor
    second: Tensor  # nearer to the loss


def closed_pairs(roots: Sequence[Tensor], params: Iterable[Tensor]) -> list[ClosedPair]:
    """Weights of zeros, among these, of which one is used on what the other made."""
    zeros = {id(param): param for param in params if _is_zero_matrix(param)}
    if len(zeros) < 2:
        return []
    uses = _uses([root.grad_fn for root in roots if root.grad_fn is not None], zeros)
    pairs = []
    for second, nodes in uses.items():
        below = _below(nodes)
        first = next((one for one, used in uses.items() if one != second and any(n in below for n in used)), None)
        if first is not None:
            pairs.append(ClosedPair(zeros[first], zeros[second]))
    return pairs


def _is_zero_matrix(param: Tensor) -> bool:
    if type(param) is not torch.nn.Parameter or param.dim() < 2 or param.is_meta or param.layout is not torch.strided:
        return False
    with torch.no_grad():
        return not bool(param.count_nonzero())


def _uses(starts: list[Any], zeros: dict[int, Tensor]) -> dict[int, list[Any]]:
    """The operations that use each of them as it is or turned."""
    uses: dict[int, list[Any]] = {}
    todo, seen = list(starts), set(starts)
    for node in todo:
        for child, _ in node.next_functions:
            if child is None:
                continue
            leaf = child
            while type(leaf).__name__ in TURNS and leaf.next_functions[0][0] is not None:
                leaf = leaf.next_functions[0][0]
            key = id(getattr(leaf, "variable", None))
            if key in zeros:
                uses.setdefault(key, []).append(node)
            if child not in seen:
                seen.add(child)
                todo.append(child)
        if len(todo) > MAX_NODES:
            return {}
    return uses


def _below(nodes: Sequence[Any]) -> set[Any]:
    """All operations that these depend on, themselves left out."""
    todo, seen = list(nodes), set()
    for node in todo:
        for child, _ in node.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                todo.append(child)
    return seen
