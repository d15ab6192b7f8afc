"""Dropout draws its masks as ever, so that random numbers go on as they would, and drops nothing.

Two runs that split a batch differently draw other masks for the same sample: with dropout nothing could be compared.
The masks are kept as digests, because ranks must not draw the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from surefoot.check.gradients import switch_dropout_off
from surefoot.check.modes import DROPOUTS
from surefoot.check.tensors import digest
from surefoot.watch.tap import Tap

LEAST = 64  # values, below which two masks may well be the same by chance


def switch_off(tap: Tap, drawn: Callable[[int], None]) -> None:
    for name in DROPOUTS:
        if hasattr(nn.functional, name):
            tap.replace(nn.functional, name, lambda original: _undropped(original, drawn))
    tap.replace(nn.functional, "scaled_dot_product_attention", _without_dropout)


def switch_off_plainly() -> None:
    """By functions that the compiler can look through; no mask is drawn."""
    switch_dropout_off()
    attention = nn.functional.scaled_dot_product_attention
    setattr(nn.functional, "scaled_dot_product_attention", _without_dropout(attention))  # noqa: B010


def _undropped(original: Callable[..., Any], drawn: Callable[[int], None]) -> Callable[..., Any]:
    def dropout(input: Tensor, p: float = 0.5, training: bool = True, *args: Any, **kwargs: Any) -> Tensor:  # noqa: A002
        if training and 0 < p < 1 and not torch.compiler.is_compiling():
            with torch.no_grad():
                mask = original(torch.ones_like(input), p, training)
            if mask.numel() >= LEAST and torch.is_grad_enabled():
                drawn(digest(mask))
        return input

    return dropout


def _without_dropout(original: Callable[..., Any]) -> Callable[..., Any]:
    def scaled_dot_product_attention(
        query: Tensor, key: Tensor, value: Tensor, attn_mask: Any = None, dropout_p: float = 0.0, *args: Any,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        return original(query, key, value, attn_mask, 0.0, *args, **kwargs)

    return scaled_dot_product_attention
