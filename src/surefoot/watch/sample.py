"""A number by which a parameter is known to have moved."""

import torch
from torch import Tensor

SAMPLE = 1024  # elements that are looked at


def sample_sum(param: Tensor) -> float:
    """The sum of some of its elements."""
    inner: Tensor = getattr(param, "_local_tensor", param)  # of a sharded one: summing that would talk to other ranks
    if inner.device.type == "meta" or inner.layout is not torch.strided:
        return 0.0
    with torch.no_grad():
        return float(inner.detach().flatten()[:SAMPLE].double().sum())
