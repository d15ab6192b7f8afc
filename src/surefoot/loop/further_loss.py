"""The second and later backwards of a step: their gradients are kept apart, to be divided by items of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from surefoot.loop.weight import Agreement


class FurtherLoss:
    """What the backwards with one number have added up in a window."""

    def __init__(self) -> None:
        self.agreement = Agreement()
        self._gradients: dict[Tensor, Tensor] = {}  # by parameter
        self.reset()

    def reset(self) -> None:
        self.total = 0.0  # in the window's units
        self.weighted_loss: Tensor | float | None = None
        self._gradients.clear()
        self.agreement.reset()

    @property
    def params(self) -> list[Tensor]:
        """Those that have a gradient here."""
        return list(self._gradients)

    def add(self, loss: Tensor, factor: float) -> None:
        self.total += factor
        part = loss.detach() * factor
        self.weighted_loss = part if self.weighted_loss is None else self.weighted_loss + part

    @contextmanager
    def collecting(self, params: Sequence[Tensor]) -> Iterator[None]:
        """Around a backward: gradients of `params` are added up here, and `.grad` is afterwards what it was."""
        before = [p.grad for p in params]
        for p in params:
            p.grad = self._gradients.get(p)
        try:
            yield
        finally:
            for p, grad in zip(params, before, strict=True):
                if p.grad is not None:
                    self._gradients[p] = p.grad
                p.grad = grad

    @torch.no_grad()
    def join(self, factor: float) -> None:
        """Add these gradients, times `factor`, to those of the first backward."""
        for p, grad in self._gradients.items():
            if p.grad is None:
                p.grad = grad.mul_(factor)
            else:
                p.grad.add_(grad, alpha=factor)

    def state(self, params: Sequence[Tensor]) -> dict[str, Any]:
        gradients = [self._gradients.get(p) for p in params]
        return {"total": self.total, "weighted_loss": self.weighted_loss, "gradients": gradients}

    def restore(self, state: dict[str, Any], params: Sequence[Tensor]) -> None:
        self.total, self.weighted_loss = state["total"], state["weighted_loss"]
        pairs = zip(params, state["gradients"], strict=True)
        self._gradients = {p: grad.to(p.device, p.dtype).clone() for p, grad in pairs if grad is not None}
