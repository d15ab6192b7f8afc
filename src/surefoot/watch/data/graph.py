"""Find batches in the graph of a loss: its nodes keep inputs and targets for their backward."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from torch import Tensor

from surefoot.watch.data.batch_mark import UNREAD, mark_of
from surefoot.watch.lossgraph.node import Node, children, saved

MOST_NODES = 2000  # of a graph that are looked at
KEPT_FOR_BACKWARD = ("input", "mat1", "self", "target", "indices", "other", "mat2")  # where inputs and targets end up


def holds(roots: Sequence[Any], marks: set[int]) -> bool:
    """Whether the graph keeps a tensor with one of these marks."""
    return bool(marks) and any(mark_of(tensor) in marks for tensor in _saved_tensors(roots))


def inputs_of(roots: Sequence[Any], rows: Collection[int]) -> frozenset[int]:
    """Marks of what the graph keeps that went in from outside and has as many rows: a batch, or what was made of it."""
    kept = (t for t in _saved_tensors(roots) if not t.requires_grad and t.ndim and t.shape[0] in rows)
    return frozenset(mark for tensor in kept if (mark := mark_of(tensor)) != UNREAD)


def _saved_tensors(roots: Sequence[Any]) -> Iterator[Tensor]:
    todo: list[Node] = [root.grad_fn for root in roots if isinstance(root, Tensor) and root.grad_fn is not None]
    seen = set(todo)
    while todo and len(seen) < MOST_NODES:
        node = todo.pop()
        for what in KEPT_FOR_BACKWARD:
            tensor = saved(node, what)
            if isinstance(tensor, Tensor):
                yield tensor
        for child in children(node):
            if child is not None and child not in seen:
                seen.add(child)
                todo.append(child)
