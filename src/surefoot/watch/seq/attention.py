"""What attention left out: kept in the graph, as the mask of torch's own or the weights of one that someone wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from surefoot.watch.lossgraph.node import Node, name_of, saved, signed
from surefoot.watch.lossgraph.values import is_readable

MAX_ATTENTION = 4  # layers looked at
MAX_ELEMENTS = 1 << 24  # of attention weights
_WEIGHTS = frozenset({"Softmax", "SafeSoftmax"})


def attention_in(nodes: Sequence[Node]) -> list[Node]:
    layers = [node for node in nodes if name_of(node) in _WEIGHTS or name_of(node).startswith("ScaledDotProduct")]
    return layers[:MAX_ATTENTION]


def keys_left_out(layer: Node) -> Tensor | None:
    """Which keys no query attends to, as (…, keys)."""
    if name_of(layer) in _WEIGHTS:
        weights: Any = saved(layer, "result")
        if not is_readable(weights) or weights.dim() not in (2, 3, 4) or weights.numel() > MAX_ELEMENTS:
            return None
        return _left_out_by(weights, signed(saved(layer, "dim")))
    mask: Any = saved(layer, "attn_mask")
    mask = saved(layer, "attn_bias") if mask is None else mask
    if not is_readable(mask) or mask.dim() not in (3, 4) or mask.numel() > MAX_ELEMENTS:
        return None
    is_closed: Tensor = ~mask if mask.dtype is torch.bool else mask == -torch.inf
    return is_closed.all(-2)


def _left_out_by(weights: Tensor, dim: int | None) -> Tensor | None:
    """Of weights over the last dimension, or of pooling: (samples, keys) or (samples, keys, 1)."""
    if weights.dim() == 3 and weights.shape[2] == 1 and dim in (1, -2):
        weights, dim = weights.squeeze(2), 1
    if dim is None or dim % weights.dim() != weights.dim() - 1:
        return None
    is_zero: Tensor = weights == 0
    return is_zero.all(-2) if weights.dim() > 2 else is_zero
