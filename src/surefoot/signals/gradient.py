"""Values of a gradient of any kind, and norms of many of them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from surefoot.signals.subset import local_part


def values_of(grad: Tensor) -> Tensor:
    """Those of a sparse one without the zeros."""
    part: Tensor = getattr(grad, "_local_tensor", grad)
    if part.layout is torch.sparse_coo:
        part = part.detach().coalesce()._values()
    elif part.layout is not torch.strided:
        part = part.detach().values()
    return local_part(part)


def norms_of(values: Sequence[Tensor]) -> list[Tensor]:
    """Exact, in single precision where the gradient is in half."""
    by_dtype: dict[torch.dtype, list[int]] = {}
    for i, value in enumerate(values):
        by_dtype.setdefault(value.dtype, []).append(i)
    norms: dict[int, Tensor] = {}
    for dtype, places in by_dtype.items():
        wide = torch.float32 if dtype.itemsize == 2 else None
        found = torch._foreach_norm([values[i] for i in places], 2, wide)
        norms.update(zip(places, found, strict=True))
    return [norms[i] for i in range(len(values))]
