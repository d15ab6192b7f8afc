"""The order of an update. Everything that people get wrong is in these lines, so they stand on one page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import torch

from surefoot.loop.clip import Limits

if TYPE_CHECKING:
    from torch import Tensor
    from torch.amp import GradScaler
    from torch.optim import Optimizer

    from surefoot.loop.parallel.alone import Alone
    from surefoot.loop.window import Window


class NonFiniteError(FloatingPointError):
    """A loss or a gradient is NaN or Inf. The weights are those of before the window."""


@dataclass(slots=True)
class Outcome:
    """What became of a window."""

    loss: float  # the mean over its items
    norm: float  # of the gradient, before clipping
    lr: float  # with which it was applied
    applied: bool = False
    is_bad: bool = False  # not finite, other than by the overflow that fp16 recovers from
    num_bad: int = 0  # gradients that are not finite

    def what_is_bad(self) -> str:
        if not isfinite(self.loss):
            return f"the loss is {self.loss}"
        return f"the norm of the gradient is {self.norm}, with NaN or Inf in {self.num_bad} gradients"


@dataclass(slots=True)
class Updater:
    """One optimizer, with what belongs to its updates."""

    name: str
    optimizer: Optimizer
    window: Window
    limits: Limits
    scaler: GradScaler | None
    scheduler: Any
    ranks: Alone
    inputs: list[Tensor] | None

    def update(self, before: Callable[[], object] | None = None) -> Outcome:
        """Apply the window, unless it is not finite. `before` is the program's own: it may edit the gradients."""
        window, scaler = self.window, self.scaler
        gradients, total = self.ranks.sum_over_ranks(window)  # scaled alike, and so all ranks see the same overflow
        if scaler is not None and total:
            scaler.unscale_(self.optimizer)  # first: limits and checks are about the true gradient
        if total != 1.0:
            window.normalise(gradients, total)  # one division for the whole window, before anything measures it
        if before is not None and total:
            gradients = self._edited(before)  # before the check and the limits: they hold for what it leaves
        norm = self.ranks.norm(gradients)
        outcome = self._judge(self.ranks.mean_loss(window, total), norm, total, gradients)
        if outcome.applied:
            self.limits.clip(norm)
            if scaler is None:
                self.optimizer.step()
            else:
                scaler.step(self.optimizer)
                scaler.update()
            if self.scheduler is not None:
                self.scheduler.step()  # counts applied updates, and nothing else
        elif scaler is not None and total:
            scaler.update()  # backs off
        self.discard()  # last: the next window starts from nothing
        return outcome

    def _edited(self, edit: Callable[[], object]) -> list[Tensor]:
        try:
            edit()
        except BaseException:
            self.discard()  # half edited
            raise
        return self.ranks.gradients(self.window)

    def _judge(self, loss: float, norm: Tensor, total: float, gradients: list[Tensor]) -> Outcome:
        outcome = Outcome(loss, float(norm), float(self.optimizer.param_groups[0]["lr"]))
        if isfinite(loss) and isfinite(outcome.norm):
            outcome.applied = total > 0
        elif total > 0 and (self.scaler is None or not isfinite(loss)):
            outcome.is_bad = True
            outcome.num_bad = sum(not bool(torch.isfinite(grad).all()) for grad in gradients)
        return outcome

    def discard(self) -> None:
        """Start the window anew."""
        self.optimizer.zero_grad(set_to_none=True)
        self.window.reset()
