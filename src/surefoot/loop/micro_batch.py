"""`with loop.step(weight=…) as step: step.backward(loss)`: one micro-batch."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from math import inf, nan
from types import TracebackType
from typing import TYPE_CHECKING, Any

from torch import Tensor

from surefoot.loop.applying import micro_batch_ends, window_dropped
from surefoot.loop.closure import check_closure, refuse_backward
from surefoot.loop.given import refuse_closed, refuse_loss, refuse_nested
from surefoot.loop.precision import autocast, no_autocast
from surefoot.loop.weight import UnknownWeightError, read_terms, weight_of

if TYPE_CHECKING:
    from surefoot.loop.further_loss import FurtherLoss
    from surefoot.loop.loop import Loop
    from surefoot.loop.update import Updater
    from surefoot.loop.weight.read import Readings


class MicroBatch:
    """The forward, loss and backward of one micro-batch. At its end, if it is the window's last, comes the update."""

    __slots__ = ("_autocast", "_given", "_is_open", "_is_strict", "_loop", "_num_backwards", "_updater", "compute_loss")

    def __init__(self, loop: Loop, updater: Updater, weight: float | None) -> None:
        self._loop = loop
        self._updater = updater
        self._given = _checked(weight)
        self._num_backwards = 0
        self._is_open = False
        # Gradients in `.grad` are not yet those of the update, so that the program must not touch them.
        self._is_strict = loop._weights_matter or updater.scaler is not None
        self.compute_loss: Callable[[], Tensor] | None = None  # where the optimizer is to evaluate it

    @property
    def is_left_out(self) -> bool:
        """The program called no backward."""
        return self._num_backwards == 0

    def __enter__(self) -> MicroBatch:
        loop, updater = self._loop, self._updater
        outside = updater.outside
        if outside.open_step is not None or self._num_backwards:
            refuse_nested(outside.open_step)
        if updater.num_dropped:
            window_dropped(loop, updater)
        outside.step_begins()
        outside.open_step = self
        self._is_open = True
        self._autocast = None if loop.precision == "fp32" else autocast(loop.precision, loop.device)
        if self._autocast is not None:
            self._autocast.__enter__()
        return self

    def backward(self, loss: Tensor, *, weight: float | None = None, retain_graph: bool = False) -> None:
        """Add the gradients of `loss`, the mean over this micro-batch's items, to the window.

        Further backwards in the same step add up, each divided by its own items. `weight` is how many these are,
        where it differs from that of the step.
        """
        if not self._is_open and self.compute_loss is None:
            refuse_closed(self._num_backwards)
        if not isinstance(loss, Tensor) or loss.numel() != 1 or not loss.requires_grad or loss.is_complex():
            refuse_loss(loss)
        if self._updater.needs_closure and self.compute_loss is None:
            refuse_backward(self._updater)
        is_watched = self._is_strict and self.compute_loss is None
        if is_watched:
            self._updater.outside.refuse_changed()
        self._add(loss, weight, retain_graph)
        if is_watched:
            self._updater.outside.note()

    def _add(self, loss: Tensor, weight: float | None, retain_graph: bool) -> None:
        loop, window = self._loop, self._updater.window
        index, self._num_backwards = self._num_backwards, self._num_backwards + 1
        given = self._given if weight is None else _checked(weight)
        further = window.further_loss(index) if index and loop._weights_matter else None
        if loop._weights_matter:
            agreement = window.agreement if further is None else further.agreement
            factor = window.factor(self._weight(loss, given, lambda: agreement.weigh(self._terms(loss))))
        else:
            factor = 0.0 if given == 0 or _is_of_nothing(loss) else 1.0
        if factor == 0.0:
            if loop._ranks.shares_backward:
                loop._ranks.backward_of_nothing(loss, retain_graph)
            return
        if further is not None:
            further.add(loss, factor)
        else:
            window.add(loss, factor, counts=loop._weights_matter or window.total == 0)
        self._run_backward(loss, factor, retain_graph, further)

    def closure(self, compute_loss: Callable[[], Tensor]) -> None:
        """Update by an optimizer that evaluates the loss several times, such as L-BFGS or SAM.

        `compute_loss()` is the forward and the loss; clearing and backward are the loop's.
        """
        check_closure(self._loop, self._updater)
        if self.compute_loss is not None or not self.is_left_out:
            raise RuntimeError("a step takes one closure, and no backward beside it.")
        self.compute_loss = compute_loss

    def evaluate(self) -> None:
        """Forward, loss and backward of the closure."""
        assert self.compute_loss is not None
        self._num_backwards = 0
        with autocast(self._loop.precision, self._loop.device):
            loss = self.compute_loss()
        self.backward(loss)

    def _run_backward(self, loss: Tensor, factor: float, retain_graph: bool, further: FurtherLoss | None) -> None:
        """The factor is the gradient to begin with: that costs less than an operation for it."""
        loop, updater = self._loop, self._updater
        with nullcontext() if self._autocast is None else no_autocast(loop.precision, loop.device):
            scaled = loss if updater.scaler is None else updater.scaler.scale(loss)
            gradient = None if factor == 1.0 else updater.window.seed(scaled, factor)
            with nullcontext() if further is None else further.collecting(updater.window.params):
                scaled.backward(gradient, retain_graph, inputs=updater.inputs)  # type: ignore[no-untyped-call]

    def _weight(self, loss: Tensor, given: float | None, read: Callable[[], float]) -> float:
        if self._loop._ranks.is_extra or given == 0:
            return 0.0
        if given is None:
            weight = read()
            self._updater.looks.look(loss)
            return weight
        if self._loop.num_updates == 0 and not self._updater.window.is_open:
            self._refuse_divided_twice(loss)
        return given

    def _terms(self, loss: Tensor) -> list[Readings]:
        return read_terms(loss, self._loop._accumulate[self._updater.name])

    def _refuse_divided_twice(self, loss: Tensor) -> None:
        """Also where weights are given; they are not doubted otherwise."""
        with suppress(UnknownWeightError):
            self._terms(loss)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._autocast is not None:
            self._autocast.__exit__(kind, error, trace)
        self._is_open, self._updater.outside.open_step = False, None
        try:
            micro_batch_ends(self._loop, self, self._updater, failed=error is not None)
        except Exception as refusal:
            self._loop._ranks.fails(refusal)
            raise
        if error is not None:
            self._loop._ranks.fails(error)


def _checked(weight: Any) -> float | None:
    """As a plain number: a tensor would end up in the history and in checkpoints."""
    if weight is None:
        return None
    try:
        number = nan if isinstance(weight, str | bool) else float(weight)
    except (TypeError, ValueError, RuntimeError):  # torch's for a tensor of several values
        number = nan
    if not 0 <= number < inf:
        raise ValueError(f"weight must be the number of items that the loss is a mean over, got {weight!r}.")
    return number


def _is_of_nothing(loss: Tensor) -> bool:
    """A mean over no item is NaN, which is nobody's mistake. On other devices it is not waited for."""
    if not loss.is_cpu or not loss.isnan().any():
        return False
    try:
        return weight_of(loss) == 0
    except UnknownWeightError:
        return False
