"""Sharded tensors in files: a rank saves its own part of each, and puts it back where it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

MARK = "shard"  # the only key of a dict that stands for a part of a tensor


def local(tensor: Tensor) -> Tensor:
    """What this rank has of it, without talking to others."""
    return getattr(tensor, "_local_tensor", tensor)


def pack(value: Any) -> Any:
    """Sharded tensors become `{"shard": part}`, which any torch can load."""
    if isinstance(value, Tensor):
        return {MARK: local(value).detach()} if hasattr(value, "_local_tensor") else value
    if isinstance(value, Mapping):
        return {key: pack(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(pack(item) for item in value)
    return value


def unpack(value: Any, like: Any) -> Any:
    """The reverse, for a tensor that is sharded as `like` is."""
    if not (isinstance(value, Mapping) and set(value) == {MARK}):
        return value
    from torch.distributed.tensor import DTensor

    part = value[MARK].to(local(like).device)
    return DTensor.from_local(
        part, like.device_mesh, like.placements, run_check=False, shape=like.shape, stride=like.stride()
    )
