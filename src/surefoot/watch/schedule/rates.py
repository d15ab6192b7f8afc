"""Rates as a scheduler's optimizer has them."""

from __future__ import annotations

from typing import Any

from torch import Tensor

SAME_RATE = 1e-6  # relative difference below which two rates are the same one


def rates_of(scheduler: Any) -> tuple[float, ...]:
    groups = getattr(getattr(scheduler, "optimizer", None), "param_groups", ())
    return tuple([number(group.get("lr")) or 0.0 for group in groups])


def number(value: Any) -> float | None:
    """A plain number; a tensor is read where that needs no waiting for a device."""
    if isinstance(value, Tensor):
        return float(value) if value.numel() == 1 and value.device.type == "cpu" else None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def are_same(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return len(a) == len(b) and all(abs(x - y) <= SAME_RATE * max(abs(x), abs(y)) for x, y in zip(a, b, strict=True))
