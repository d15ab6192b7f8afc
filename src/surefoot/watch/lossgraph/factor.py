"""The constant that the program multiplied a loss by at the very end: its own 1/k."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

MOST_NODES = 4
PRODUCTS = {"MulBackward0": False, "DivBackward0": True}


def user_factor(node: Any, scales: Mapping[int, Any]) -> tuple[Any, float]:
    """What a GradScaler multiplied the loss by, None without one, and the program's constant factor."""
    scale, factor = None, 1.0
    for _ in range(MOST_NODES):
        name = node.name()
        if name not in PRODUCTS:
            break
        if scales and node._sequence_nr() in scales:
            scale = scales[node._sequence_nr()]
        else:
            constant = _constant(node)
            if not constant:
                break
            factor = factor / constant if PRODUCTS[name] else factor * constant
        node = node.next_functions[0][0] or node.next_functions[-1][0]
        if node is None:
            break
    return scale, factor


def _constant(node: Any) -> float | None:
    """The number by which one value was multiplied or divided, if that is what the node does."""
    below = node.next_functions
    is_right = below[0][0] is not None
    if len(below) > 1 and is_right and below[1][0] is not None:
        return None
    try:
        saved = node._saved_other if is_right else node._saved_self
    except (AttributeError, RuntimeError):
        return None
    if type(saved) is not Tensor or saved.numel() != 1 or not saved.is_cpu or saved.requires_grad:
        return None
    value = saved.item()
    return float(value) if isinstance(value, int | float) else None
