"""One optimizer's open window: the micro-batches since its last update, and how much each of them counts.

A window's gradient is the gradient of the mean over all its items. Each loss is a mean over its own micro-batch, so
its gradient is added with the factor weight / unit, and at the end everything is divided by total weight / unit. The
unit is about the weight of a whole window: that of its first micro-batch times their number, both rounded down to a
power of two. So the factors are those that people write, whatever the weights are, which half precision needs; whole
numbers of items lead to no rounding of their own; and windows that come out at one need no division at their end.
Several ranks need one unit for all of them: they agree on it in their first window, and keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor, log2
from typing import Any

import torch
from torch import Tensor

from surefoot.loop.further_loss import FurtherLoss
from surefoot.loop.weight import Agreement


class Window:
    """What has been added up since the last update.

    `params` gives the optimizer's parameters as they are now: groups may be added at any time.
    """

    __slots__ = (
        "_agree",
        "_exponent",
        "_params",
        "_seed",
        "_seeded",
        "agreement",
        "further",
        "num_micro_batches",
        "place",
        "total",
        "unit",
        "weighted_loss",
    )

    def __init__(
        self,
        params: Callable[[], list[Tensor]],
        accumulate: int = 1,
        agree: Callable[[float, str], float] | None = None,
        name: str = "",
    ) -> None:
        self._params = params
        self._exponent = floor(log2(accumulate))
        self._agree = agree
        self.place = f"an update of {name!r}" if name else "an update"  # where ranks meet
        self._seed: Tensor | None = None  # the last one, and of what
        self._seeded: tuple[float, torch.dtype, torch.device] | None = None
        self.agreement = Agreement()
        self.further: list[FurtherLoss] = []  # of steps with several backwards, the second, the third …
        self.unit = 0.0  # the weight that counts as one
        self.reset()

    @property
    def params(self) -> list[Tensor]:
        return self._params()

    def reset(self) -> None:
        self.num_micro_batches = 0
        if self._agree is None:
            self.unit = 0.0
        self.total = 0.0  # in units
        self.weighted_loss: Tensor | float | None = None  # sum of losses times factors; on devices nobody waits for it
        self.agreement.reset()
        for loss in self.further:
            loss.reset()

    def further_loss(self, index: int) -> FurtherLoss:
        """The account of a step's backward number `index`, counted from 1 after the first."""
        while len(self.further) < index:
            self.further.append(FurtherLoss())
        return self.further[index - 1]

    def factor(self, weight: float) -> float:
        """By what to multiply the loss of a micro-batch of this weight."""
        if not self.unit:
            unit = 2.0 ** (floor(log2(weight)) + self._exponent) if weight else 0.0
            self.unit = unit if self._agree is None else self._agree(unit, self.place)
        return weight / self.unit if weight else 0.0

    def seed(self, loss: Tensor, factor: float) -> Tensor:
        """The gradient to begin a backward with.

        Most micro-batches have the factor of the one before: then it is kept, unless somebody wrote to it.
        """
        seed, like = self._seed, (factor, loss.dtype, loss.device)
        if seed is None or self._seeded != like or seed._version or loss.ndim:
            seed, self._seeded = loss.new_full(loss.shape, factor), like
            self._seed = None if loss.ndim else seed
        return seed

    def add(self, loss: Tensor, factor: float, *, counts: bool = True) -> None:
        """A backward has added its gradients. It does not count if an earlier one has counted the same items."""
        if counts:
            self.total += factor
        part = loss.item() if loss.is_cpu else loss.detach()
        if factor != 1.0:
            part = part * factor
        self.weighted_loss = part if self.weighted_loss is None else self.weighted_loss + part

    @property
    def is_open(self) -> bool:
        return self.num_micro_batches > 0

    @property
    def totals(self) -> list[float]:
        """In units, of each backward of a step."""
        return [self.total, *(loss.total for loss in self.further)]

    @property
    def losses(self) -> list[float]:
        """The sums of losses times factors, of each backward of a step."""
        found = [self.weighted_loss, *(loss.weighted_loss for loss in self.further)]
        return [0.0 if loss is None else float(loss) for loss in found]

    @property
    def gradients(self) -> list[Tensor]:
        return [p.grad for p in self.params if p.grad is not None]

    def reached(self) -> list[bool]:
        """Which parameters have got a gradient, by any backward."""
        by_further = {id(p) for loss in self.further for p in loss.params}
        return [p.grad is not None or id(p) in by_further for p in self.params]

    def merge(self, totals: Sequence[float]) -> float:
        """Bring all backwards of the steps together. What is left to do is one division, by the number returned."""
        whole = next((total for total in totals if total), 0.0)
        for loss, total in zip(self.further, totals[1:], strict=False):
            if total:
                loss.join(whole / total)
        return whole

    def normalise(self, gradients: list[Tensor], total: float) -> None:
        """From sums to the mean over all items. `total` is in units, over all ranks."""
        if gradients:
            torch._foreach_div_(gradients, total)

    def state(self) -> dict[str, Any]:
        """What a checkpoint inside a window needs, partial gradients included."""
        params = self.params if self.is_open else []
        return {
            "num_micro_batches": self.num_micro_batches,
            "unit": self.unit,
            "total": self.total,
            "weighted_loss": self.weighted_loss,
            "gradients": [None if p.grad is None else p.grad.detach() for p in params],
            "further": [loss.state(params) for loss in self.further] if self.is_open else [],
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.num_micro_batches, self.unit, self.total = state["num_micro_batches"], state["unit"], state["total"]
        self.weighted_loss = state["weighted_loss"]
        params = self.params
        gradients = state["gradients"] or [None] * len(params)
        for p, grad in zip(params, gradients, strict=True):
            p.grad = None if grad is None else grad.to(p.device, p.dtype).clone()
        self.further = []
        for index, further in enumerate(state.get("further", ()), start=1):  # older checkpoints have none
            self.further_loss(index).restore(further, params)


def mean_loss(losses: Sequence[float], totals: Sequence[float]) -> float:
    """Of a window: each backward by its own items."""
    counted = [loss / total for loss, total in zip(losses, totals, strict=True) if total]
    return sum(counted) if counted else float("nan")
