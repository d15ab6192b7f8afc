"""The order of an update. Everything that people get wrong is in these lines, so they stand on one page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

import torch

from surefoot.loop.clip import Limits
from surefoot.loop.closure import step_with
from surefoot.loop.outside import OutsideChanges
from surefoot.loop.weight import Looks

if TYPE_CHECKING:
    from torch import Tensor
    from torch.amp import GradScaler
    from torch.optim import Optimizer

    from surefoot.loop.joint import JointOptimizer
    from surefoot.loop.parallel.alone import Alone
    from surefoot.loop.schedulers import Schedulers
    from surefoot.loop.spikes import SpikeLimit
    from surefoot.loop.window import Window

Edit = Callable[[], object]


class NonFiniteError(FloatingPointError):
    """A loss or a gradient is NaN or Inf. The weights are those of before the window."""


@dataclass(slots=True)
class Outcome:
    """What became of a window."""

    loss: float  # the mean over its items
    norm: float  # of the gradient, before clipping
    rates: list[float]  # of each optimizer's first group, with which it was applied
    applied: bool = False
    is_empty: bool = False  # no item counted
    is_bad: bool = False  # not finite, other than by the overflow that fp16 recovers from
    num_bad: int = 0  # gradients that are not finite

    def what_is_bad(self) -> str:
        if not isfinite(self.loss):
            return f"the loss is {self.loss}"
        return f"the norm of the gradient is {self.norm}, with NaN or Inf in {self.num_bad} gradients"


@dataclass(slots=True)
class Updater:
    """One optimizer, or several that step together, with what belongs to their updates."""

    name: str
    optimizer: Optimizer | JointOptimizer
    parts: list[Optimizer]
    window: Window
    limits: Limits
    spikes: SpikeLimit | None
    scaler: GradScaler | None
    scheduler: Schedulers | None
    ranks: Alone
    needs_closure: bool = False
    is_one_of_several: bool = False
    num_dropped: int = 0  # whole micro-batches of the last window, if a step in it has failed
    looks: Looks = field(default_factory=Looks)
    outside: OutsideChanges = field(init=False)

    def __post_init__(self) -> None:
        self.outside = OutsideChanges(self.optimizer, self.parts, self.window)

    @property
    def inputs(self) -> list[Tensor] | None:
        """With one optimizer a backward goes everywhere, as in any loop; with several only to its parameters."""
        if not self.is_one_of_several:
            return None
        inputs = [p for p in self.window.params if p.requires_grad]
        if not inputs:
            raise ValueError(
                f"all parameters of optimizer {self.name!r} are frozen, so that there is nothing to train in its step. "
                "Leave the step out, or call requires_grad_(True) first."
            )
        return inputs

    def update(self, before: Edit | None = None) -> Outcome:
        """Apply the window, unless it is not finite. `before` is the program's own: it may edit the gradients."""
        outcome = self._complete(before)
        scaler = self.scaler
        if outcome.applied:
            with self._updating():
                if scaler is None:
                    self.optimizer.step()
                else:
                    for part in self.parts:
                        scaler.step(part)
                    scaler.update()
            if self.scheduler is not None:
                self.scheduler.step(outcome.loss)  # counts applied updates, and nothing else
        elif scaler is not None and not outcome.is_empty:
            scaler.update()  # backs off
        self.discard()  # last: the next window starts from nothing
        return outcome

    def update_by(self, evaluate: Callable[[], None], before: Edit | None = None) -> Outcome:
        """The same for an optimizer that has the loss evaluated several times; `evaluate` fills the window."""

        def evaluate_anew() -> Outcome:
            self.discard()
            evaluate()
            return self._complete(before)

        try:
            outcome = evaluate_anew()
            if outcome.applied:
                with self._updating():
                    outcome = step_with(self.parts[0], self.window.params, evaluate_anew, first=outcome)
            if outcome.applied and self.scheduler is not None:
                self.scheduler.step(outcome.loss)
        finally:
            self.discard()
        return outcome

    @contextmanager
    def _updating(self) -> Iterator[None]:
        self.outside.is_updating = True
        try:
            yield
        finally:
            self.outside.is_updating = False

    def _complete(self, before: Edit | None) -> Outcome:
        """Make the gradients those that the optimizer is to use, and tell whether it may."""
        window = self.window
        gradients, total = self.ranks.sum_over_ranks(window)  # scaled alike, and so all ranks see the same overflow
        if self.scaler is not None and total:
            for part in self.parts:
                self.scaler.unscale_(part)  # first: limits and checks are about the true gradient
        if total != 1.0:
            window.normalise(gradients, total)  # one division for the whole window, before anything measures it
        if before is not None and total:
            gradients = self._edited(before)  # before the check and the limits: they hold for what it leaves
        norm = self.ranks.norm(gradients)
        outcome = self._judge(self.ranks.mean_loss(window), norm, total, gradients)
        if outcome.applied:
            if self.spikes is not None:
                norm = self.spikes.clip(window.params, norm)
            self.limits.clip(norm, self.ranks.norm_of)
        return outcome

    def _edited(self, edit: Edit) -> list[Tensor]:
        try:
            edit()
        except BaseException:
            self.discard()  # half edited
            raise
        return self.ranks.gradients(self.window)

    def _judge(self, loss: float, norm: Tensor, total: float, gradients: list[Tensor]) -> Outcome:
        rates = [float(part.param_groups[0]["lr"]) for part in self.parts]
        outcome = Outcome(loss, float(norm), rates, is_empty=total == 0)
        if isfinite(loss) and isfinite(outcome.norm):
            outcome.applied = not outcome.is_empty
        elif not outcome.is_empty and (self.scaler is None or not isfinite(loss)):
            outcome.is_bad = True
            outcome.num_bad = sum(not bool(torch.isfinite(grad).all()) for grad in gradients)
        return outcome

    def discard(self) -> None:
        """Start the window anew."""
        self.optimizer.zero_grad(set_to_none=True)
        self.window.reset()
