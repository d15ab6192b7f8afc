"""Loss and metrics over a whole loader, exactly weighted, leaving everything as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import Module

from surefoot.loop.batch import to_device
from surefoot.loop.evaluated_loss import EvaluatedLoss, LossValue
from surefoot.loop.failing import told_to_ranks
from surefoot.loop.given import check_not_swapped
from surefoot.loop.loader import check_kind
from surefoot.loop.metric import Mean, make_metrics
from surefoot.loop.precision import autocast
from surefoot.loop.separate_pass import nothing_moved
from surefoot.loop.trying import at_most
from surefoot.loop.weight import Agreement, UnknownWeightError

if TYPE_CHECKING:
    from surefoot.loop.loop import Loop
    from surefoot.loop.parallel.alone import Alone

LossFunction = Callable[..., Tensor]
Evaluation = dict[str, float]


def is_pair(batch: Any) -> bool:
    """A pair is inputs and targets."""
    return isinstance(batch, list | tuple) and len(batch) == 2


@told_to_ranks
def evaluate(
    loop: Loop, loader: Iterable[Any], loss_fn: LossFunction, metrics: Mapping[str, Any],
    weight: Callable[[Any], float] | None, ema: bool,
) -> Evaluation:  # fmt: skip
    """What `Loop.evaluate` does."""
    check_not_swapped(loader, loss_fn)
    check_kind(loader)
    with loop.averaged() if ema else nullcontext():
        return _evaluate(loop, loader, loss_fn, metrics, weight)


def _evaluate(
    loop: Loop, loader: Iterable[Any], loss_fn: LossFunction, metrics: Mapping[str, Any],
    weight: Callable[[Any], float] | None,
) -> Evaluation:  # fmt: skip
    meters = make_metrics(metrics, loop._ranks)
    for meter in meters.values():
        meter.reset()
    mean = _LossMean(weight)
    measured = EvaluatedLoss(next(iter(loop.models.values())), loss_fn, needs_graph=weight is None)
    loop._ranks.share_buffers(loop.models.values())
    # Training goes on as if nothing had been evaluated: a DataLoader draws a random number whenever it is started.
    with in_eval_mode(loop.models.values()), torch.no_grad(), nothing_moved(loader):
        batches = loader() if callable(loader) and not hasattr(loader, "__iter__") else loader
        for given, counts in loop._ranks.evaluated(at_most(batches, loop._dry_run)):
            batch = to_device(given, loop.device)
            with autocast(loop.precision, loop.device):
                loss, outputs = measured.of_pair(*batch) if is_pair(batch) else measured.of_batch(batch)
            if not counts:
                continue
            mean.add(loss, batch)
            for meter in meters.values():
                meter.update(outputs, batch[1] if is_pair(batch) else batch)
    loop._ranks.settle(loop.models.values())
    return {"loss": mean.over(loop._ranks), **{name: meter.over(loop._ranks) for name, meter in meters.items()}}


class _LossMean:
    """The mean of the losses of all batches, each by what it is a mean over. One batch alone needs no weight."""

    def __init__(self, weight: Callable[[Any], float] | None) -> None:
        self._weight = weight
        self._mean = Mean()
        self._agreement = Agreement()
        self._unknown: UnknownWeightError | None = None
        self._num_batches = 0

    def add(self, loss: LossValue, batch: Any) -> None:
        self._num_batches += 1
        self._mean.add(loss.value, self._weigh(loss, batch))
        self._refuse_unknown(self._num_batches)

    def _weigh(self, loss: LossValue, batch: Any) -> float:
        if self._weight is not None:
            return float(self._weight(batch))
        try:
            return self._agreement.weigh(loss.terms())
        except UnknownWeightError as error:
            self._unknown = error
            return 1.0

    def _refuse_unknown(self, num_batches: float) -> None:
        if self._unknown is not None and num_batches > 1:
            raise UnknownWeightError(
                f"the loss {self._unknown.reason}, so it can't be averaged exactly over batches. Pass how many items "
                "the loss of a batch is a mean over: weight=function(batch)."
            ) from self._unknown

    def over(self, ranks: Alone) -> float:
        (num_batches,) = ranks.sum([self._num_batches])
        self._refuse_unknown(num_batches)
        mean = self._mean.over(ranks)
        if not num_batches:
            raise ValueError("evaluate() got no batches: the loader is empty, or an exhausted generator.")
        return float("nan") if mean is None else mean


@contextmanager
def in_eval_mode(models: Iterable[Module]) -> Iterator[None]:
    """Eval mode; afterwards every module is in the mode it was in, also those that the user keeps in eval mode."""
    before = [(module, module.training) for model in models for module in model.modules()]
    for module, _ in before:
        module.training = False
    try:
        yield
    finally:
        for module, training in before:
            module.training = training
