"""Limits on gradients: one for all of an optimizer's parameters, or one for each group that has its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from surefoot.loop.joint import JointOptimizer

NORM, VALUE = "clip_norm", "clip_value"  # in a parameter group: this group's own limits


class Limits:
    """What gradients are clipped to: norms first, then values. Groups are read anew each time, as they may change."""

    def __init__(self, optimizer: Optimizer | JointOptimizer, norm: float | None, value: float | None) -> None:
        _check(NORM, norm)
        _check(VALUE, value)
        self._optimizer = optimizer
        self._norm = norm
        self._value = value
        for group in optimizer.param_groups:
            _check(NORM, group.get(NORM))
            _check(VALUE, group.get(VALUE))

    def clip(self, total: Tensor, norm_of: Callable[[list[Tensor]], Tensor]) -> None:
        """`total` is the norm of all gradients, which is what a plain limit is about; `norm_of` that of some."""
        for params, limit, has_own in self._limits(NORM, self._norm):
            norm = total if not has_own else norm_of(gradients_of(params))
            torch.nn.utils.clip_grads_with_norm_(params, limit, norm)
        for params, limit, _ in self._limits(VALUE, self._value):
            torch.nn.utils.clip_grad_value_(params, limit)

    def _limits(self, key: str, given: float | None) -> list[tuple[list[Tensor], float, bool]]:
        """Parameters, their limit, and whether there are others with another one."""
        groups = self._optimizer.param_groups
        own = [(list(group["params"]), group[key], True) for group in groups if group.get(key) is not None]
        for _, limit, _ in own:
            _check(key, limit)
        rest = [p for group in groups if group.get(key) is None for p in group["params"]]
        return own if given is None or not rest else [(rest, given, bool(own)), *own]


def gradients_of(params: Sequence[Tensor]) -> list[Tensor]:
    return [p.grad for p in params if p.grad is not None]


def _check(name: str, limit: Any) -> None:
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int | float) or not limit > 0):
        raise ValueError(f"{name} must be a number above 0, got {limit!r}. Leave it out to clip nothing.")
