"""How far the gradients of two runs are apart."""

from __future__ import annotations

from pathlib import Path

import torch


def compare_gradients(small: Path, large: Path) -> tuple[float, float] | None:
    """The norm of the difference by that of the second, and the factor by which the first is larger."""
    lists = [torch.load(file, weights_only=True) for file in (small, large)]
    pairs = [(a.double(), b.double()) for a, b in zip(*lists, strict=True) if a is not None and b is not None]
    norm = sum(float(b.square().sum()) for _, b in pairs) ** 0.5
    if not norm:
        return None
    difference = sum(float((a - b).square().sum()) for a, b in pairs) ** 0.5
    return difference / norm, sum(float(a.square().sum()) for a, _ in pairs) ** 0.5 / norm
