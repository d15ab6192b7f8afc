"""Whether tensors are finite: quickly for many, exactly for one."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import Parameter


def plain(value: Tensor) -> Tensor:
    """What this process holds of it, as an ordinary dense tensor."""
    value = getattr(value, "_local_tensor", value)
    if type(value) not in (Tensor, Parameter):  # a subclass would see what we ask it
        return torch.empty(0)
    value = value.detach()
    if value.layout is torch.strided:
        has_memory = value.is_meta or value.untyped_storage().nbytes() > 0  # FSDP frees what it has gathered
        return value if has_memory else value.new_empty(0)
    return value._values() if value.is_sparse else value.values()


def all_finite(values: Sequence[Tensor]) -> bool:
    """Quick: whether the norms are finite. A norm may overflow, so that False is no proof."""
    if not values:
        return True
    first = values[0]
    if not all(v.dtype is first.dtype and v.device == first.device for v in values):
        return all(is_finite(v) for v in values)
    if not first.is_floating_point() or first.dtype.itemsize == 1 or first.is_meta:
        return True  # nothing that could be told
    values = [v for v in values if v.numel()]
    return not values or math.isfinite(float(torch.stack(torch._foreach_norm(values)).sum()))


def is_finite(value: Tensor) -> bool:
    return value.is_meta or bool(value.isfinite().all())
