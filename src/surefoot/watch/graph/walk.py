"""Walk the autograd graph behind a tensor, without keeping any of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from torch import Tensor

MAX_NODES = 20_000  # about 20 ms
MAX_DEPTH = 256

_LEAF = "torch::autograd::AccumulateGrad"  # belongs to a parameter, not to one graph


def sequence_numbers(roots: Sequence[Tensor]) -> list[int]:
    """Of every node behind the roots that some forward made. They rise in the order of making."""
    return [node._sequence_nr() for node in _nodes(roots) if node.name() != _LEAF]


def leaves_behind(roots: Sequence[Tensor]) -> list[Tensor]:
    """The tensors whose gradient a backward from the roots adds to."""
    return [node.variable for node in _nodes(roots) if node.name() == _LEAF]


def leaves_of(node: Any) -> frozenset[int]:
    """Their identities, behind a node."""
    return frozenset(id(inner.variable) for inner in _nodes_behind([node]) if inner.name() == _LEAF)


def _nodes(roots: Sequence[Tensor]) -> Iterator[Any]:
    return _nodes_behind([root.grad_fn for root in roots if root.grad_fn is not None])


def _nodes_behind(todo: list[Any]) -> Iterator[Any]:
    seen = set(todo)
    while todo and len(seen) < MAX_NODES:
        node = todo.pop()
        yield node
        for child, _ in node.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                todo.append(child)


def deep_node(root: Any) -> Any:
    """A node far behind the root, near the parameters, found along the first branch at every fork."""
    node = root
    for _ in range(MAX_DEPTH):
        children = (child for child, _ in node.next_functions if child is not None and child.name() != _LEAF)
        child = next(children, None)
        if child is None:
            break
        node = child
    return node
