"""Tell a model that works position by position from one that passes the whole sequence through one code."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.watch.lossgraph.node import Node, shape_of
from surefoot.watch.seq.align import Layout
from surefoot.watch.seq.backprop import between


def keeps_positions(root: Node, lookup: Node, layout: Layout) -> bool:
    """No single value through which all paths lead has lost the positions."""
    num = layout.ids.shape[0]
    lengths = {layout.ids.shape[1], layout.targets.shape[1]}
    sizes = lengths | {num * length for length in lengths}
    return all(sizes.intersection(shape_of(node) or ()) for node in _passed_by_all(root, lookup))


def _passed_by_all(root: Node, lookup: Node) -> Iterator[Node]:
    """The nodes through which every path from the root to the lookup leads: nothing goes past them."""
    way = between(root, {lookup})
    waiting: dict[Node, int] = dict.fromkeys(way, 0)
    for node in way:
        for child, _ in node.next_functions:
            if child in way:
                waiting[child] += 1
    total = dict(waiting)
    ready, num_open = [root], 0  # edges from nodes that were passed to others
    while ready:
        node = ready.pop()
        if num_open == total[node]:
            yield node
        num_open -= total[node]
        for child, _ in node.next_functions:
            if child in way:
                num_open += 1
                waiting[child] -= 1
                if not waiting[child]:
                    ready.append(child)
