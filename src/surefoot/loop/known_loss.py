"""Losses whose best constant prediction is known without a search, and how their mean is weighted."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

KINDS: dict[Any, str] = {
    nn.CrossEntropyLoss: "cross-entropy", functional.cross_entropy: "cross-entropy",
    nn.NLLLoss: "cross-entropy", functional.nll_loss: "cross-entropy",
    nn.BCEWithLogitsLoss: "logit", functional.binary_cross_entropy_with_logits: "logit",
    nn.BCELoss: "probability", functional.binary_cross_entropy: "probability",
    nn.MSELoss: "mean", functional.mse_loss: "mean",
    nn.L1Loss: "median", functional.l1_loss: "median",
}  # fmt: skip
SETTINGS = ("weight", "pos_weight", "ignore_index", "label_smoothing", "reduction")
NEVER = 1e-12  # the share that a class without targets gets, so that its logarithm is finite


@dataclass(frozen=True)
class Known:
    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def weight(self) -> Tensor | None:
        weight: Tensor | None = self.settings.get("weight")
        return weight

    def weight_of(self, target: Tensor) -> float:
        """What a batch counts in the mean over all batches: that by which the loss divided."""
        if self.settings.get("reduction") == "sum":
            return 1.0
        if self.kind != "cross-entropy" or target.is_floating_point():
            return float(target.numel())
        valid = self.valid(target)
        return float(valid.numel() if self.weight is None else self.weight[valid].sum())

    def valid(self, target: Tensor) -> Tensor:
        return target[target != self.settings.get("ignore_index", -100)]


def recognise(loss_fn: Callable[..., Any]) -> Known | None:
    """What `loss_fn` is, if it is one of torch's own, with its settings."""
    function, given = loss_fn, {}
    if isinstance(loss_fn, functools.partial) and not loss_fn.args:
        function, given = loss_fn.func, dict(loss_fn.keywords)
    elif isinstance(loss_fn, nn.Module):
        given = {name: getattr(loss_fn, name) for name in SETTINGS if hasattr(loss_fn, name)}
    kind = KINDS.get(type(function) if isinstance(function, nn.Module) else function)
    if kind is None or not set(given) <= set(SETTINGS):
        return None
    if kind in ("logit", "probability") and given.get("weight") is not None:
        return None  # each element has its own weight: the mean is no longer the best
    return Known(kind, given)


def best_constant(known: Known, targets: Sequence[Tensor], num_classes: int | None) -> tuple[Tensor, str]:
    """The constant prediction for one sample that makes the loss smallest, and what it is."""
    match known.kind:
        case "cross-entropy":
            shares = _class_shares(known, targets, num_classes)
            return shares.clamp_min(NEVER).log(), "the logarithm of each class's share"
        case "median":
            return _over_samples(targets, lambda t: t.median(0).values), "the median of the targets"
    mean = _over_samples(targets, lambda t: t.mean(0))
    if known.kind != "logit":
        return mean, "the mean of the targets"
    pos_weight = known.settings.get("pos_weight")
    odds = mean.clamp(NEVER, 1 - NEVER) / (1 - mean).clamp_min(NEVER)
    return (odds if pos_weight is None else odds * pos_weight).log(), "the logit of the targets' mean"


def accuracy(known: Known, targets: Sequence[Tensor]) -> float | None:
    """How often the most frequent answer is right; None where answers are not right or wrong."""
    if known.kind == "cross-entropy" and not targets[0].is_floating_point():
        counts = _counts(known, targets, None)
        return float(counts.max() / counts.sum())
    if known.kind in ("logit", "probability") and all(bool(((t == 0) | (t == 1)).all()) for t in targets):
        mean = _over_samples(targets, lambda t: t.mean(0))
        return float(torch.maximum(mean, 1 - mean).mean())
    return None


def spread(known: Known, prediction: Tensor, target: Tensor) -> Tensor:
    """The prediction for every item of a batch, in the shape that the loss wants."""
    if known.kind != "cross-entropy":
        return prediction.expand_as(target)
    shape = target.shape if target.is_floating_point() else (len(target), len(prediction), *target.shape[1:])
    return prediction.reshape(1, -1, *[1] * (len(shape) - 2)).expand(shape)


def _class_shares(known: Known, targets: Sequence[Tensor], num_classes: int | None) -> Tensor:
    if targets[0].is_floating_point():  # each target is a distribution
        shares = torch.stack([t.double().movedim(1, -1).flatten(0, -2).sum(0) for t in targets]).sum(0)
    else:
        shares = _counts(known, targets, num_classes)
    smoothing: float = known.settings.get("label_smoothing", 0.0)
    shares = (1 - smoothing) * shares + smoothing * shares.sum() / len(shares)
    shares = shares if known.weight is None else shares * known.weight.to(shares)
    return (shares / shares.sum()).float()


def _counts(known: Known, targets: Sequence[Tensor], num_classes: int | None) -> Tensor:
    least = max(num_classes or 0, 0 if known.weight is None else len(known.weight))
    valid = torch.cat([known.valid(target) for target in targets])
    return torch.bincount(valid, minlength=least).double()


def _over_samples(targets: Sequence[Tensor], reduce: Callable[[Tensor], Tensor]) -> Tensor:
    """For each output its own constant; one for all, where samples differ in shape."""
    same = len({target.shape[1:] for target in targets}) == 1
    whole = torch.cat(list(targets)) if same else torch.cat([target.flatten() for target in targets])
    dtype = targets[0].dtype if targets[0].is_floating_point() else torch.get_default_dtype()
    return reduce(whole.double()).to(dtype)
