"""See losses that are backwarded alone, and again in a sum with others."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surefoot.watch.lossgraph.node import Node, children, name_of
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward

KEPT = 32  # backwards whose graph was retained
MAX_NODES = 64  # of the sum at the root
ADDING = frozenset(("Add", "Mean", "Sum", "Stack", "View", "Squeeze", "Unsqueeze"))
SCALING = frozenset(("Mul", "Div"))


class AgainProbe(Probe):
    name = "again"

    def __init__(self) -> None:
        self._retained: OrderedDict[int, int] = OrderedDict()  # sequence number of a root, to its backward

    def backward_begins(self, backward: Backward) -> None:
        root = backward.roots[0].grad_fn if len(backward.roots) == 1 else None
        if root is None:
            return
        if self._retained:
            addends = {node._sequence_nr() for node in _addends(root) if node is not root}
            backward.again = tuple(self._retained[number] for number in sorted(addends & self._retained.keys()))
        if backward.retain_graph:
            self._retained[backward.root] = backward.ordinal
            while len(self._retained) > KEPT:
                self._retained.popitem(last=False)


def _addends(root: Node) -> Iterator[Node]:
    """The nodes at the root of a sum whose gradient is that of the root, but for a constant."""
    todo, seen = [root], 0
    while todo and seen < MAX_NODES:
        node = todo.pop()
        seen += 1
        yield node
        below = [child for child in children(node) if child is not None]
        if name_of(node) in ADDING or (name_of(node) in SCALING and len(below) == 1):
            todo += below
