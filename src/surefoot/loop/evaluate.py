"""Loss and metrics over a whole loader, exactly weighted, leaving everything as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import Module

from surefoot.loop.aside import nothing_moved
from surefoot.loop.batch import size_of, to_device
from surefoot.loop.given import check_not_swapped
from surefoot.loop.loader import check_kind
from surefoot.loop.precision import autocast
from surefoot.loop.trying import at_most
from surefoot.loop.weight import UnknownWeightError, weight_of

if TYPE_CHECKING:
    from surefoot.loop.loop import Loop
    from surefoot.loop.parallel.alone import Alone

LossFunction = Callable[..., Tensor]
Evaluation = dict[str, float]


def is_pair(batch: Any) -> bool:
    """A pair is inputs and targets."""
    return isinstance(batch, list | tuple) and len(batch) == 2


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
    means = {"loss": _Mean()}
    meters = {name: metric if hasattr(metric, "compute") else _Function(metric) for name, metric in metrics.items()}
    for meter in meters.values():
        meter.reset()
    loop._ranks.share_buffers(loop.models.values())
    # Training goes on as if nothing had been evaluated: a DataLoader draws a random number whenever it is started.
    with in_eval_mode(loop.models.values()), torch.no_grad(), nothing_moved(loader):
        batches = loader() if callable(loader) and not hasattr(loader, "__iter__") else loader
        for given, counts in loop._ranks.evaluated(at_most(batches, loop._dry_run)):
            batch = to_device(given, loop.device)
            with autocast(loop.precision, loop.device):
                loss, weighs, outputs = _loss_of(loop, batch, loss_fn, weight)
            if not counts:
                continue
            means["loss"].add(float(loss), weighs)
            for meter in meters.values():
                meter.update(outputs, batch[1])
    loop._ranks.settle(loop.models.values())
    mean = means["loss"].over(loop._ranks)
    if mean is None:
        raise ValueError("evaluate() got no batches: the loader is empty, or a generator that was used up before.")
    return {"loss": mean, **{name: _computed(meter, loop._ranks) for name, meter in meters.items()}}


def _computed(meter: Any, ranks: Alone) -> float:
    """Objects of the user's are asked on every rank, and the mean is taken; those that sync themselves agree anyway."""
    if isinstance(meter, _Function):
        mean = meter.mean.over(ranks)
        return float("nan") if mean is None else mean
    value = float(meter.compute())
    return value if ranks.size == 1 else ranks.sum([value])[0] / ranks.size


def _loss_of(
    loop: Loop, batch: Any, loss_fn: LossFunction, weight: Callable[[Any], float] | None
) -> tuple[Tensor, float, Any]:
    model = next(iter(loop.models.values()))
    if not is_pair(batch):
        loss = loss_fn(model, batch)
        return loss, weight(batch) if weight is not None else float(size_of(batch) or 1), None
    inputs, targets = batch
    outputs = model(inputs)
    if weight is not None:
        return loss_fn(outputs, targets), weight(batch), outputs
    return *_weighted(outputs, targets, loss_fn, batch), outputs


def _weighted(outputs: Any, targets: Any, loss_fn: LossFunction, batch: Any) -> tuple[Tensor, float]:
    """The loss, and the number of items read off a graph that holds nothing but the loss itself."""
    if not isinstance(outputs, Tensor) or not outputs.is_floating_point():
        return loss_fn(outputs, targets), float(size_of(batch) or 1)
    with torch.enable_grad():
        loss = loss_fn(outputs.detach().requires_grad_(), targets)
    try:
        return loss.detach(), weight_of(loss)
    except UnknownWeightError:
        return loss.detach(), float(size_of(batch) or 1)


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


class _Mean:
    def __init__(self) -> None:
        self.total = self.weight = 0.0

    def add(self, value: float, weight: float) -> None:
        if weight:  # the mean over nothing is NaN, and counts nothing
            self.total += value * weight
            self.weight += weight

    def over(self, ranks: Alone) -> float | None:
        """The mean over all ranks; None if there was nothing."""
        total, weight = ranks.sum([self.total, self.weight])
        return total / weight if weight else None


class _Function:
    """A function of outputs and targets, averaged over samples."""

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self._function = function

    def reset(self) -> None:
        self.mean = _Mean()

    def update(self, outputs: Any, targets: Any) -> None:
        self.mean.add(float(self._function(outputs, targets)), float(size_of(targets) or 1))
