"""Look at nodes of the autograd graph without disturbing them."""

from functools import cache
from typing import Any

import torch
from torch import Tensor

from surefoot.watch.exception import is_the_programs

Node = Any  # torch's node classes have no common Python type

# Operations that rearrange, copy or cast and leave each value what it is.
VIEWS = frozenset({
    "View", "UnsafeView", "Reshape", "ReshapeAlias", "AsStrided", "Permute", "Transpose", "T", "Squeeze", "Unsqueeze",
    "Expand", "Slice", "Select", "Narrow", "Clone", "Alias", "ToCopy", "Unflatten", "Split", "SplitWithSizes", "Unbind",
    "MaskedSelect", "Index", "IndexSelect", "Movedim", "Roll", "Flip",
})  # fmt: skip


@cache
def short(name: str) -> str:
    """`"AddBackward0"` to `"Add"`; `"torch::autograd::AccumulateGrad"` to `"AccumulateGrad"`."""
    name = name.rsplit("::", 1)[-1]
    stem, found, digits = name.rpartition("Backward")
    return stem if found and (digits.isdigit() or not digits) else name


def name_of(node: Node) -> str:
    return short(node.name())


def shape_of(node: Node) -> tuple[int, ...] | None:
    """The shape of what the node's operation returned."""
    try:
        return tuple(int(size) for size in node._input_metadata[0].shape)
    except (AttributeError, IndexError, RuntimeError, TypeError) as error:
        if is_the_programs(error):
            raise
        return None


def is_scalar(node: Node) -> bool:
    shape = shape_of(node)
    return shape is not None and all(size == 1 for size in shape)


def children(node: Node) -> list[Node]:
    """The nodes of the operation's arguments, `None` for constants."""
    return [child for child, _ in node.next_functions]


@cache
def _attributes(what: str) -> tuple[str, str]:
    return f"_raw_saved_{what}", f"_saved_{what}"


def saved(node: Node, what: str) -> Any:
    """What the node keeps for its backward; `None` if that can't be had for free.

    A tensor packed by hooks stays packed: unpacking one of activation checkpointing would run the forward again.
    """
    packed, unpacked = _attributes(what)
    raw = getattr(node, packed, None)
    if raw is not None and is_packed(raw):
        return None
    try:
        value = getattr(node, unpacked, None)
    except RuntimeError as error:  # freed, or changed in place since
        if is_the_programs(error):
            raise
        return None
    if type(value) is Tensor and value.layout is torch.strided and value.numel() and not value.is_meta:
        return value if value.untyped_storage().nbytes() else None  # FSDP frees what it has gathered
    return value


def is_packed(raw: Any) -> bool:
    if type(raw) is tuple:
        return any(is_packed(one) for one in raw)
    return getattr(raw, "unpack_hook", None) is not None


def number(value: Any, *, may_wait: bool) -> float | None:
    """A constant as a Python number; a tensor on another device only if `may_wait` allows to wait for it."""
    if type(value) is Tensor:
        if value.numel() != 1 or value.is_meta or not (may_wait or value.is_cpu):
            return None
        value = value.item()
    return float(value) if isinstance(value, (int, float)) else None


def signed(value: Any) -> int | None:
    """Nodes return negative integers as their unsigned complement."""
    if not isinstance(value, int):
        return None
    return value - (1 << 64) if value >= 1 << 63 else value


def below_views(node: Node | None) -> Node | None:
    """The first node at or under `node` that computes something."""
    while node is not None and name_of(node) in VIEWS:
        node = next((child for child in children(node) if child is not None), None)
    return node
