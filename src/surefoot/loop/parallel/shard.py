"""Sharded tensors in files: a rank saves its part of each and where it lies, so that any ranks can put it together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

MARK = "shard"  # the first key of a dict that stands for a part of a tensor


@dataclass(frozen=True)
class Pieces:
    """A tensor whose parts lie in the files of several ranks. They are read as far as they are needed."""

    whole: tuple[int, ...]
    parts: Sequence[tuple[Sequence[int], Tensor]]  # where each begins

    def all(self) -> Tensor:
        return self.region([0] * len(self.whole), self.whole)

    def region(self, at: Sequence[int], shape: Sequence[int]) -> Tensor:
        found = torch.empty(tuple(shape), dtype=self.parts[0][1].dtype)
        for begin, part in self.parts:
            low = [max(a, b) for a, b in zip(at, begin, strict=True)]
            high = [min(a + n, b + m) for a, n, b, m in zip(at, shape, begin, tuple(part.shape), strict=True)]
            if all(h > lo for lo, h in zip(low, high, strict=True)):
                there = tuple(slice(lo - a, h - a) for lo, h, a in zip(low, high, at, strict=True))
                here = tuple(slice(lo - b, h - b) for lo, h, b in zip(low, high, begin, strict=True))
                found[there] = part[here]
        return found


def local(tensor: Tensor) -> Tensor:
    """What this rank has of it, without talking to others."""
    return getattr(tensor, "_local_tensor", tensor)


def is_shard(value: Any) -> bool:
    return isinstance(value, Mapping) and MARK in value and set(value) <= {MARK, "whole", "at"}


def has_shards(value: Any) -> bool:
    if isinstance(value, Mapping) and not is_shard(value):
        return any(map(has_shards, value.values()))
    return is_shard(value)


def mapped(value: Any, change: Callable[[Any], Any], *, is_leaf: Callable[[Any], bool] = is_shard) -> Any:
    """The same nested containers with other leaves. torch keeps versions of modules in an attribute of theirs."""
    if isinstance(value, Mapping) and not is_leaf(value):
        made: Any = type(value)((key, mapped(item, change, is_leaf=is_leaf)) for key, item in value.items())  # type: ignore[call-arg]
        if hasattr(value, "_metadata"):
            made._metadata = value._metadata
        return made
    if type(value) in (list, tuple):
        return type(value)(mapped(item, change, is_leaf=is_leaf) for item in value)
    return change(value)


def pack(value: Any) -> Any:
    """Sharded tensors become `{"shard": part, "whole": shape, "at": offsets}`, which any torch can load."""
    return mapped(value, lambda leaf: pack_as(leaf, leaf) if isinstance(leaf, Tensor) else leaf)


def pack_as(part: Tensor, like: Tensor) -> Any:
    """`part` is what this rank has of a tensor that is sharded as `like` is."""
    if not hasattr(like, "_local_tensor"):
        return part
    _, at = _place(like)
    return {MARK: local(part).detach(), "whole": list(like.shape), "at": list(at)}


def _place(like: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shape and offset of this rank's part."""
    from torch.distributed.tensor._utils import compute_local_shape_and_global_offset

    return compute_local_shape_and_global_offset(like.shape, like.device_mesh, like.placements)


def part_of(value: Any, like: Tensor) -> Tensor:
    """Of a saved tensor, what this rank needs for one that is sharded as `like` is, or whole."""
    if is_shard(value):
        part: Tensor = value[MARK]
        return part
    is_sharded = hasattr(like, "_local_tensor")
    if isinstance(value, Tensor) and (not is_sharded or value.shape != like.shape):
        return value  # whole, or of an older version, which saved parts of averages as they are
    if isinstance(value, Tensor):
        value = Pieces(tuple(value.shape), [([0] * value.ndim, value)])
    shape, at = _place(like) if is_sharded else (tuple(value.whole), (0,) * len(value.whole))
    return value.region(at, shape)  # type: ignore[no-any-return]


def unpack(value: Any, like: Any) -> Any:
    """For a tensor that is sharded as `like` is: whatever has its shape becomes sharded like it."""
    if not hasattr(like, "_local_tensor"):
        return whole(value)
    if not is_shard(value) and getattr(value, "whole", getattr(value, "shape", None)) != like.shape:
        return value  # such as the number of steps of an optimizer
    from torch.distributed.tensor import DTensor

    part = part_of(value, like).to(local(like).device)
    return DTensor.from_local(
        part, like.device_mesh, like.placements, run_check=False, shape=like.shape, stride=like.stride()
    )


def whole(value: Any) -> Any:
    """Without pieces: for ranks that have all of each tensor."""
    return mapped(
        value, lambda leaf: leaf.region([0] * len(leaf.whole), leaf.whole) if isinstance(leaf, Pieces) else leaf
    )


def in_outline(value: Any, *, by_part: bool = False) -> Any:
    """Shapes and types of whole tensors, for telling whether two states are of one model.

    `by_part`: of this rank's parts, which is all that older versions tell.
    """
    return mapped(value, (lambda leaf: {MARK: leaf[MARK]} if is_shard(leaf) else leaf) if by_part else _outline)


def _outline(leaf: Any) -> Any:
    if isinstance(leaf, Pieces):
        return torch.empty(leaf.whole, dtype=leaf.parts[0][1].dtype, device="meta")
    if is_shard(leaf) and "whole" in leaf:
        return torch.empty(leaf["whole"], dtype=leaf[MARK].dtype, device="meta")
    return leaf
