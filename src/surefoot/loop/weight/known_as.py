"""What else the weight of a term is known as: micro-batches that differ in it can't be added up."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose, prod

import torch
from torch import Tensor

from surefoot.loop.weight.terms import Reduction
from surefoot.watch.lossgraph.node import Node, name_of, saved

BY_CLASS_WEIGHTS = " by class weights "
TIMES = "times its own number"


def is_times_own_number(reduction: Reduction, num: float) -> bool:
    """`loss * len(y)`: a mean made a sum again."""
    factor = prod(c.value for c in reduction.factors if c.is_plain)
    return any(own > 1 and isclose(factor, own) for own in (num, _num_rows(reduction.node)))


def _num_rows(node: Node) -> int:
    own = saved(node, "target" if name_of(node).startswith("NllLoss") else "self")
    sizes: Sequence[int] = own.shape if isinstance(own, Tensor) else saved(node, "self_sym_sizes") or ()
    return int(sizes[0]) if len(sizes) else 0


def class_weights(node: Node) -> str:
    """That were made from the micro-batch, for example, and are others in the next; empty if there are none."""
    name = name_of(node)
    what = "weight" if name.startswith("NllLoss") else "pos_weight" if name.startswith("BinaryCrossEntropyW") else ""
    values = saved(node, what) if what else None
    if not isinstance(values, Tensor) or values.ndim > 1:
        return ""
    places = torch.arange(1, values.numel() + 1, device=values.device, dtype=torch.float64)
    return f"{BY_CLASS_WEIGHTS}{float((values.detach().double().reshape(-1) * places).sum()):.9g}"
