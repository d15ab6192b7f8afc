"""`with loop.step(weight=…) as step: step.backward(loss)`: one micro-batch."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from torch import Tensor

from surefoot.loop.closure import check_closure, refuse_backward
from surefoot.loop.precision import autocast, no_autocast
from surefoot.loop.weight import weight_of

if TYPE_CHECKING:
    from surefoot.loop.loop import Loop
    from surefoot.loop.update import Updater


class MicroBatch:
    """The forward, loss and backward of one micro-batch. At its end, if it is the window's last, comes the update."""

    __slots__ = ("_autocast", "_given", "_loop", "_updater", "compute_loss", "factor")

    def __init__(self, loop: Loop, updater: Updater, weight: float | None) -> None:
        if weight is not None and not weight >= 0:
            raise ValueError(f"weight must be the number of items that the loss is a mean over, got {weight!r}.")
        self._loop = loop
        self._updater = updater
        self._given = weight
        self.factor: float | None = None  # known from the first backward on
        self.compute_loss: Callable[[], Tensor] | None = None  # where the optimizer is to evaluate it

    def __enter__(self) -> MicroBatch:
        loop = self._loop
        self._autocast = None if loop.precision == "fp32" else autocast(loop.precision, loop.device)
        if self._autocast is not None:
            self._autocast.__enter__()
        return self

    def backward(self, loss: Tensor, *, retain_graph: bool = False) -> None:
        """Add the gradients of `loss`, the mean over this micro-batch's items, to the window."""
        loop, updater = self._loop, self._updater
        window, factor = updater.window, self.factor
        if updater.needs_closure and self.compute_loss is None:
            refuse_backward(updater)
        if factor is None:
            is_whole_window = not loop._weights_matter and self._given != 0
            factor = self.factor = 1.0 if is_whole_window else window.factor(self._weight(loss))
        if factor != 0.0:
            window.add(loss, factor)
        elif not loop._ranks.shares_backward:
            return  # a mean over nothing: 0 / 0
        if self._autocast is None:
            self._run_backward(loss, factor, retain_graph)
            return
        with no_autocast(loop.precision, loop.device):
            scaled = loss if updater.scaler is None else updater.scaler.scale(loss)
            self._run_backward(scaled, factor, retain_graph)

    def closure(self, compute_loss: Callable[[], Tensor]) -> None:
        """Update by an optimizer that evaluates the loss several times, such as L-BFGS or SAM.

        `compute_loss()` is the forward and the loss; clearing and backward are the loop's.
        """
        check_closure(self._loop, self._updater)
        if self.compute_loss is not None or self.factor is not None:
            raise RuntimeError("a step takes one closure, and no backward beside it.")
        self.compute_loss = compute_loss

    def evaluate(self) -> None:
        """Forward, loss and backward of the closure."""
        assert self.compute_loss is not None
        self.factor = None
        with autocast(self._loop.precision, self._loop.device):
            loss = self.compute_loss()
        self.backward(loss)

    def _run_backward(self, loss: Tensor, factor: float, retain_graph: bool) -> None:
        """The factor is the gradient to begin with: that costs less than an operation for it."""
        gradient = None if factor == 1.0 else self._updater.window.seed(loss, factor)
        loss.backward(gradient, retain_graph, inputs=self._updater.inputs)  # type: ignore[no-untyped-call]

    def _weight(self, loss: Tensor) -> float:
        if self._loop._ranks.is_extra or self._given == 0:
            return 0.0
        return weight_of(loss) if self._given is None else self._given

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._autocast is not None:
            self._autocast.__exit__(kind, error, trace)
        self._loop._micro_batch_ends(self, self._updater, failed=error is not None)
