"""`sf.baseline`: what a predictor scores that gives the same answer whatever its input."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from surefoot.loop import known_loss
from surefoot.loop import loader as kind
from surefoot.loop.batch import to_device
from surefoot.loop.constant import mean_over, num_samples, output_of, search
from surefoot.loop.evaluate import is_pair
from surefoot.loop.given import check_not_swapped
from surefoot.loop.separate_pass import check_startable_again, nothing_moved, start_separate_pass
from surefoot.sanitizer import unseen

Measure = Callable[[Any, Any], Any]
Split = Callable[[Any], tuple[Any, Any]]


@dataclass(frozen=True)
class Baseline:
    """The best constant prediction for one sample, and its scores."""

    loss: float
    metric: float | None  # the given one; else the accuracy where targets are classes
    prediction: Tensor
    how: str  # what the prediction is
    num_batches: int

    def __str__(self) -> str:
        metric = "" if self.metric is None else f" and metric {self.metric:.4g}"
        batches = f"{self.num_batches} batch{'' if self.num_batches == 1 else 'es'}"
        return f"a constant prediction, {self.how}, has loss {self.loss:.4g}{metric} on {batches}"


def baseline(
    model: Callable[..., Any] | None, loader: kind.Loader, loss_fn: Measure, *,
    metric: Measure | None = None, num_batches: int | None = None,
    split: Split | None = None,
) -> Baseline:  # fmt: skip
    """Tell what the best constant prediction scores: a model that does not beat it has learned nothing.

    For torch's cross-entropy the prediction is the logarithm of each class's share, and the metric is the accuracy of
    the most frequent class; for squared errors it is the mean of the targets, for absolute ones the median, for binary
    cross-entropy on logits the logit of the mean. For any other loss the constant is searched by L-BFGS, from zeros,
    with one output for each that `model` has. Losses are averaged over items, as one batch of all would be.

    `metric(outputs, targets)` is averaged over samples. `num_batches` looks at so many batches only. Batches are pairs
    of inputs and targets; `split` makes a pair of any other. The model is called once, on the first inputs, if it is
    given; it is not changed, and all random numbers that were drawn are put back.
    """
    check_not_swapped(loader, loss_fn)
    kind.check_kind(loader)
    check_startable_again(loader)
    with unseen(), nothing_moved(loader):
        inputs, targets = _read(loader, split or _split, num_batches)
        output = None if model is None else output_of(model, inputs)
        targets = targets if output is None else to_device(targets, output.device)
        known = known_loss.recognise(loss_fn) if all(isinstance(target, Tensor) for target in targets) else None
        if known is None:
            return _searched(output, targets, loss_fn, metric)
        return _known(known, output, targets, loss_fn, metric)


def _read(loader: kind.Loader, split: Split, num_batches: int | None) -> tuple[Any, list[Any]]:
    """The first inputs and all targets."""
    pairs = (split(batch) for batch in itertools.islice(start_separate_pass(loader), num_batches))
    first = next(pairs, None)
    if first is None:
        raise ValueError("the loader must give at least one batch, got none. Check its data and num_batches.")
    return first[0], [first[1], *(target for _, target in pairs)]


def _known(
    known: known_loss.Known, output: Tensor | None, targets: list[Tensor], loss_fn: Measure, metric: Measure | None
) -> Baseline:
    num_classes = output.shape[1] if output is not None and output.dim() > 1 else None
    prediction, how = known_loss.best_constant(known, targets, num_classes)

    def spread(target: Tensor) -> Tensor:
        return known_loss.spread(known, prediction, target)

    with torch.no_grad():
        loss = mean_over(targets, lambda target: loss_fn(spread(target), target), known.weight_of)
        score = known_loss.accuracy(known, targets) if metric is None else _score(metric, spread, targets)
    return Baseline(loss.item(), score, prediction.cpu(), how, len(targets))


def _searched(output: Tensor | None, targets: list[Any], loss_fn: Measure, metric: Measure | None) -> Baseline:
    if output is None:
        raise ValueError(
            "the model must be given, because this loss_fn does not show the shape of its output. "
            "Pass it as the first argument; it is called once and not changed."
        )
    prediction, loss = search(loss_fn, targets, output)

    def spread(target: Any) -> Tensor:
        return prediction.expand(num_samples(target), *prediction.shape)

    with torch.no_grad():
        score = None if metric is None else _score(metric, spread, targets)
    return Baseline(loss, score, prediction.cpu(), "found by L-BFGS", len(targets))


def _score(metric: Measure, spread: Callable[[Any], Tensor], targets: list[Any]) -> float:
    return mean_over(targets, lambda target: metric(spread(target), target), num_samples).item()


def _split(batch: Any) -> tuple[Any, Any]:
    if is_pair(batch):
        return batch[0], batch[1]
    size = f" of {len(batch)}" if isinstance(batch, list | tuple) else ""
    raise TypeError(
        f"batches must be pairs of inputs and targets, got a {type(batch).__name__}{size}. Pass split=, a function "
        f"from a batch to such a pair, for example split=lambda batch: (batch['x'], batch['y'])."
    )
