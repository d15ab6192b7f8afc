"""Views that keep the size of a dimension and not its place, as if a view could swap dimensions.

A view leaves all values in order. Whole rows may be put together or taken apart by that; but where rows of the new
shape begin inside of old ones, or positions and heads of attention change places, entries are mixed.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import NamedTuple

from surefoot.watch.lossgraph.node import Node, children, name_of, shape_of

RESHAPES = frozenset({"View", "UnsafeView", "ReshapeAlias"})
_ATTENTION = ("Softmax", "SafeSoftmax", "ScaledDotProduct")
_SLICES = frozenset({"Slice", "Narrow", "Select", "Split", "SplitWithSizes", "Unbind"})
_ENTRY_BY_ENTRY = frozenset({
    "Relu", "LeakyRelu", "Gelu", "Silu", "Elu", "Tanh", "Sigmoid", "Threshold", "Mul", "Div", "NativeDropout", "Clone",
    "ToCopy", *RESHAPES,
})  # fmt: skip
NEAR = 8  # nodes between a view and the layer that its values come from

Shape = tuple[int, ...]


class Moved(NamedTuple):
    before: Shape
    after: Shape
    size: int  # of the dimension that lies elsewhere


def moved_dimensions(nodes: Iterable[Node]) -> list[Moved]:
    """By the views among the nodes of a graph; those that are put right again, or meant, left out."""
    nodes = list(nodes)
    heads = {shape[:3] for node in nodes if name_of(node).startswith(_ATTENTION) and len(shape := _shape(node)) == 4}
    found = {view: moved for view in nodes if name_of(view) in RESHAPES and (moved := _moved(view, heads)) is not None}
    if not found:
        return []
    slices = {node: children(node)[0] for node in nodes if name_of(node) in _SLICES}
    sliced = set(slices.values())
    views = {(_shape(children(node)[0]), _shape(node)) for node in nodes if name_of(node) in RESHAPES}
    return [
        moved
        for view, moved in found.items()
        # The relative positions of Transformer-XL are shifted by a view, too, whose first row is then left out.
        if view not in sliced
        and slices.get(children(view)[0]) not in found
        and (moved.after, moved.before) not in views
        and not _is_arbitrary(children(view)[0])
    ]


def _moved(view: Node, heads: set[Shape]) -> Moved | None:
    below = children(view)[0]
    if below is None or name_of(below) == "AccumulateGrad":
        return None
    before, after = _shape(below), _shape(view)
    if not prod(before) or prod(before) != prod(after):
        return None
    size = _size_of_heads(before, after, heads)
    if size is None and _cuts_rows(before, after):
        size = next((size for size in before if size > 1 and _lies_elsewhere(before, after, size)), None)
    return None if size is None else Moved(before, after, size)


def _lies_elsewhere(before: Shape, after: Shape, size: int) -> bool:
    if before.count(size) != 1 or after.count(size) != 1:
        return False
    return prod(before[: before.index(size)]) != prod(after[: after.index(size)])


def _cuts_rows(before: Shape, after: Shape) -> bool:
    """Whether some rows of the new shape begin inside of old ones, and end inside of others."""
    old, new = ({prod(shape[dim:]) for dim in range(1, len(shape))} for shape in (before, after))
    return any(one % other and other % one for one in old for other in new)


def _size_of_heads(before: Shape, after: Shape, heads: set[Shape]) -> int | None:
    """The number of positions, where attention's heads are split from them or put together in the wrong order."""
    for many, other in ((before, after), (after, before)):
        if len(many) != 4 or many[:3] not in heads:
            continue
        batch, num_heads, length, width = many
        several = num_heads != length and 1 not in (num_heads, length)
        if several and other in ((batch, length, num_heads * width), (batch, length, num_heads, width)):
            return length
    return None


def _is_arbitrary(node: Node) -> bool:
    """Whether a layer's flat output was given its dimensions by a view: then any order is as good as another."""
    for _ in range(NEAR):
        if node is None or name_of(node) not in _ENTRY_BY_ENTRY:
            return False
        below = [child for child in children(node) if child is not None]
        if len(below) != 1:
            return False
        flat, shape = _shape(below[0]), _shape(node)
        if name_of(node) in RESHAPES and len(flat) == 2 < len(shape) and flat[0] == shape[0]:
            return True
        node = below[0]
    return False


def _shape(node: Node) -> Shape:
    return (shape_of(node) or ()) if node is not None else ()
