"""`sf.lr_find`: an exponential range test, and a bound that is tried instead of read off the curve.

In a range test the loss begins to rise late: what would diverge has shrunk to nothing at the rates before, and first
has to grow again. So the bound is looked for by holding single rates, each from the same start, and halving the gap.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from surefoot.lab.lr.curve import fall, has_diverged, holds, noise_of, steepest
from surefoot.lab.lr.found import LrFound
from surefoot.lab.trial import Trial, trial
from surefoot.loop.evaluate import LossFunction
from surefoot.loop.loop import Loop

FEWEST = 20  # updates of a range test, below which a slope is chance
CLOSE = 1.05  # ratio of the lowest rate that diverges to the highest that holds
STEP_DOWN = 4.0
MOST_STEPS_DOWN = 6
TOO_HIGH = 1e6  # times the first loss: no use to go on


def lr_find(
    loop: Loop, loader: Any, loss_fn: LossFunction, *, low: float = 1e-7, high: float = 10.0, updates: int = 100,
    bound_updates: int = 40, weight: Callable[[Any], float] | None = None,
) -> LrFound:  # fmt: skip
    """Look for a learning rate, on the loop's own model, optimizer, accumulation, clipping and precision.

    `updates` updates are tried at rates rising from `low` to `high`, until the loss diverges. Then single rates are
    held for `bound_updates` updates each, to find the largest that still lowers the loss; 0 leaves that out. Several
    parameter groups keep the ratios of their rates; `low` and `high` are about the first one.

    Afterwards model, optimizer, random numbers and loader are as before, bit for bit, also after Ctrl-C. `loss_fn` and
    `weight` are as for `loop.fit`. A schedule is left out: the rate found is that of its peak.
    """
    _check(low, high, updates, bound_updates)
    with trial(loop, loader, loss_fn, weight, "lr_find()") as own:
        return _Search(own, loop, low, high, updates, bound_updates).run()


def _check(low: float, high: float, updates: int, bound_updates: int) -> None:
    if not 0 < low < high < math.inf:
        raise ValueError(f"low and high must be rates with 0 < low < high, got {low!r} and {high!r}.")
    if isinstance(updates, bool) or not isinstance(updates, int) or updates < FEWEST:
        raise ValueError(f"updates must be at least {FEWEST}, got {updates!r}. With fewer, slopes are chance.")
    if isinstance(bound_updates, bool) or not isinstance(bound_updates, int) or 0 < bound_updates < 8:
        raise ValueError(f"bound_updates must be at least 8, or 0 to look for no bound, got {bound_updates!r}.")


class _Search:
    def __init__(self, own: Trial, loop: Loop, low: float, high: float, updates: int, bound_updates: int) -> None:
        self._trial = own
        self._loop = loop
        self._num_tried = 0
        ratio = (high / low) ** (1 / (updates - 1))
        self._plan = [low * ratio**k for k in range(updates)]
        self._bound_updates = bound_updates
        self._noise = 0.0
        self._good = 0.0  # what the loss falls by at a rate that is surely fine

    def run(self) -> LrFound:
        rates, losses, diverged = self._sweep()
        self._noise = noise_of(losses)
        at = steepest(rates, losses) if len(losses) > 3 else None
        best = None if at is None else rates[at]
        bound, message = self._bound(best or rates[0], rates[-1]) if self._bound_updates else (None, "")
        suggestion, reasons = _suggest(best, bound, losses)
        reasons += [message] if message else []
        if not diverged and not self._bound_updates:
            reasons.append(f"the range test did not diverge up to {rates[-1]:.2g}: high= may be larger")
        return LrFound(
            suggestion, tuple(reasons), best, bound, tuple(rates), tuple(losses), diverged, self._num_tried,
            self._conditions(),
        )  # fmt: skip

    def _sweep(self) -> tuple[list[float], list[float], bool]:
        """Rates, and the losses after the updates at them: each is known with the next update."""
        self._trial.start()
        losses: list[float] = []
        for rate in self._plan:
            loss = self._update(rate)
            losses.append(math.inf if loss is None else loss)
            if len(losses) > 3 and has_diverged(losses, noise_of(losses)):
                break
            if loss is None:
                break
        if len(losses) < 2:
            raise ValueError("the loss or its gradients are not finite before any update: nothing can be tried.")
        diverged = len(losses) < len(self._plan) or not math.isfinite(losses[-1])
        after = losses[1:]
        if not math.isfinite(after[-1]):
            after = after[:-1]  # it is told as divergence, and would spoil every mean
        return self._plan[: max(1, len(after))], after or losses[:1], diverged

    def _bound(self, low: float, high: float) -> tuple[float | None, str]:
        """Narrow down the largest rate at which training does not diverge."""
        num = self._bound_updates
        for _ in range(MOST_STEPS_DOWN):
            losses = self._hold(low)
            self._good = fall(losses)
            if holds(losses, self._noise, 0.0):
                break
            low, high = low / STEP_DOWN, low
        else:
            return None, f"even {num} updates at {low * STEP_DOWN:.2g} do not lower the loss: no bound can be told"
        if self._is_fine(high):
            return None, f"{num} updates at {high:.2g} still lower the loss: the bound is above"
        while high / low > CLOSE:
            middle = math.sqrt(low * high)
            low, high = (middle, high) if self._is_fine(middle) else (low, middle)
        return low, f"{num} updates at {low:.3g} lower the loss, at {high:.3g} they do not: the bound is between"

    def _is_fine(self, rate: float) -> bool:
        return holds(self._hold(rate), self._noise, self._good)

    def _hold(self, rate: float) -> list[float]:
        """The losses of some updates at one rate, from the start; the last is not finite if it explodes."""
        self._trial.start()
        losses: list[float] = []
        for _ in range(self._bound_updates):
            loss = self._update(rate)
            if loss is None or (losses and abs(loss) > TOO_HIGH * max(abs(losses[0]), 1e-30)):
                return [*losses, math.inf]
            losses.append(loss)
        return losses

    def _update(self, rate: float) -> float | None:
        self._trial.set_rate(rate)
        self._num_tried += 1
        return self._trial.update()

    def _conditions(self) -> str:
        num = self._trial.num_items
        accumulate = next(iter(self._loop._accumulate.values()))
        items = "" if num is None else f" with {num * accumulate} items an update"
        return (
            f"This holds for {type(self._trial.optimizer).__name__}{items}, from these weights. Run it again after a "
            "change of optimizer, batch size or accumulate, precision, clipping or model."
        )


def _suggest(best: float | None, bound: float | None, losses: list[float]) -> tuple[float | None, list[str]]:
    if best is None:
        return None, [f"the loss, {losses[0]:.4g} at first, did not fall at any rate by more than its noise"]
    reasons = [f"the loss fell fastest at {best:.2g}"]
    if bound is not None and best > bound / 2:
        reasons.append(f"that is above half of the largest rate that holds: taken is {bound / 2:.2g}")
        return bound / 2, reasons
    return best, reasons
