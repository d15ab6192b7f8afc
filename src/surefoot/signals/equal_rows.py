"""Weights whose rows are all equal from the start: units that can't learn different things."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from surefoot.signals.tensors import is_readable

FEWEST_MOVES = 3  # samples with gradients for all rows, after which rows that are still equal stay so


class EqualRows:
    """Looks at all weights once; afterwards only at those whose rows began equal."""

    def __init__(self, params: Iterable[tuple[int, Tensor]]) -> None:
        self._begun = {i: param.detach()[0].clone() for i, param in params if _may_be(param) and _are_equal(param)}
        self._num_moves = dict.fromkeys(self._begun, 0)

    def look(self, params: dict[int, Tensor]) -> list[int]:
        """At a step with its gradients: which have moved and are equal still."""
        found = []
        for i in list(self._begun):
            param = params.get(i)
            if param is None or not _may_be(param) or not _are_equal(param):
                del self._begun[i]
                continue
            grad = param.grad
            if grad is None or not is_readable(grad):
                continue
            learns = bool((grad.flatten(1) != 0).any(1).all())
            self._num_moves[i] += learns
            moved = not torch.equal(param.detach()[0], self._begun[i])
            if learns and moved and self._num_moves[i] >= FEWEST_MOVES:
                found.append(i)
        return found


def _may_be(param: Tensor) -> bool:
    return param.ndim > 1 and param.shape[0] > 1 and is_readable(param)


def _are_equal(param: Tensor) -> bool:
    value = param.detach()
    return torch.equal(value[0], value[1]) and bool((value == value[:1]).all())
