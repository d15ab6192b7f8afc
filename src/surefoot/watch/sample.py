"""A number by which a parameter is known to have moved."""

from math import nan

import torch
from torch import Tensor
from torch.nn import Parameter

SAMPLE = 1024  # elements that are looked at
PLAIN = (Tensor, Parameter)


def sample_sum(param: Tensor) -> float:
    """The sum of some of its elements; NaN, which differs from itself, of a subclass: it would see that we ask."""
    inner: Tensor = getattr(param, "_local_tensor", param)  # of a sharded one: summing that would talk to other ranks
    if type(inner) not in PLAIN:
        return nan
    if inner.device.type == "meta" or inner.layout is not torch.strided:
        return 0.0
    with torch.no_grad():
        values = torch.view_as_real(inner.detach()) if inner.is_complex() else inner.detach()
        return float(values.flatten()[:SAMPLE].double().sum())
