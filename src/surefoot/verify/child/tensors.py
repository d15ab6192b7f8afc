"""Values of parameters and gradients, whole also where ranks hold shards."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from surefoot.verify.child.sketch import sketch

FLAT = "FSDP1 keeps shards of flattened parameters, which are not compared; shard with fully_shard instead"


def whole(tensor: Tensor) -> Tensor:
    """Of a DTensor the shards of all ranks, put together: all ranks come here in the same order."""
    gather: Any = getattr(tensor, "full_tensor", None)
    return tensor.detach() if gather is None else gather().detach()


def whole_sketch(tensor: Tensor) -> Tensor:
    with torch.no_grad():
        found = whole(tensor)
        return sketch(found.to_dense() if found.layout is not torch.strided else found)


def is_flat_shard(param: Tensor) -> bool:
    """Of FullyShardedDataParallel, torch's older one."""
    return type(param).__name__ == "FlatParameter" or getattr(param, "_is_fsdp_flattened", False)


def number(value: Any) -> float:
    return float(whole(value)) if isinstance(value, Tensor) else float(value)
