"""Limits on gradients: one for all of an optimizer's parameters, or one for each group that has its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from surefoot.loop.joint import JointOptimizer

KEY = "clip_norm"  # in a parameter group: this group's own limit


class Limits:
    """What gradients are clipped to."""

    def __init__(self, optimizer: Optimizer | JointOptimizer, norm: float | None, value: float | None) -> None:
        _check("clip_norm", norm)
        _check("clip_value", value)
        self._norm = norm
        self._value = value
        self._params: list[Tensor] = []  # those without a limit of their own
        self._own: list[tuple[list[Tensor], float]] = []
        for group in optimizer.param_groups:
            own: Any = group.get(KEY)
            if own is None:
                self._params += group["params"]
            else:
                _check(KEY, own)
                self._own.append((group["params"], own))

    def clip(self, total: Tensor) -> None:
        """`total` is the norm of all gradients, which is what a plain limit is about."""
        if self._norm is not None:
            norm = total if not self._own else norm_of(self._params)
            torch.nn.utils.clip_grads_with_norm_(self._params, self._norm, norm)
        for params, limit in self._own:
            torch.nn.utils.clip_grads_with_norm_(params, limit, norm_of(params))
        if self._value is not None:
            torch.nn.utils.clip_grad_value_(self._params, self._value)


def norm_of(params: Sequence[Tensor]) -> Tensor:
    return torch.nn.utils.get_total_norm([p.grad for p in params if p.grad is not None])


def _check(name: str, limit: Any) -> None:
    if limit is not None and not (isinstance(limit, int | float) and limit > 0):
        raise ValueError(f"{name} must be a number above 0, got {limit!r}. Leave it out to clip nothing.")
