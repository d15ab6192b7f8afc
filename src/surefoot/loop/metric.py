"""Metrics over a whole loader and all ranks: functions are averaged over samples, objects merge themselves."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any

from torch import Tensor

from surefoot.loop.batch import size_of, tensors_of

if TYPE_CHECKING:
    from surefoot.loop.parallel.alone import Alone


class Mean:
    """A mean of means, each over its own number of items."""

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


class FunctionMetric:
    """A function of outputs and targets.

    It returns a mean over the batch's samples, the values of all items as a tensor, or a mean and its number of items.
    """

    def __init__(self, name: str, function: Callable[[Any, Any], Any]) -> None:
        self._name = name
        self._function = function

    def reset(self) -> None:
        self._mean = Mean()

    def update(self, outputs: Any, targets: Any) -> None:
        found = self._function(outputs, targets)
        if isinstance(found, tuple) and len(found) == 2:
            self._mean.add(float(found[0]), float(found[1]))
        elif isinstance(found, Tensor) and found.ndim:
            self._mean.add(float(found.double().mean()) if found.numel() else 0.0, float(found.numel()))
        else:
            self._mean.add(float(found), float(self._num_samples(outputs, targets)))

    def _num_samples(self, outputs: Any, targets: Any) -> int:
        sizes = {len(tensor) for tensor in tensors_of(targets) if tensor.ndim}
        num = sizes.pop() if len(sizes) == 1 else size_of(outputs)
        if num is None:
            raise ValueError(
                f"metric {self._name!r} returns a mean, and the batch does not tell over how many samples: return the "
                "mean and its number of items, or the values of all items."
            )
        return num

    def over(self, ranks: Alone) -> float:
        mean = self._mean.over(ranks)
        return float("nan") if mean is None else mean


class ObjectMetric:
    """An object with `reset`, `update` and `compute`, as those of torchmetrics and torcheval."""

    def __init__(self, name: str, metric: Any, ranks: Alone) -> None:
        self._metric = metric
        self._merge = None if ranks.size == 1 or _syncs_itself(metric) else _merge_of(name, metric)
        self.reset = metric.reset
        self.update = metric.update

    def over(self, ranks: Alone) -> float:
        if self._merge is None:
            return float(self._metric.compute())
        return float(reduce(self._merge, ranks.gather(self._metric)).compute())


Metric = FunctionMetric | ObjectMetric


def make_metrics(given: Mapping[str, Any], ranks: Alone) -> dict[str, Metric]:
    return {
        name: ObjectMetric(name, metric, ranks) if hasattr(metric, "compute") else FunctionMetric(name, metric)
        for name, metric in given.items()
    }


def _syncs_itself(metric: Any) -> bool:
    """Metrics of torchmetrics gather what they need from all ranks when they are asked."""
    return bool(getattr(metric, "sync_on_compute", False))


def _merge_of(name: str, metric: Any) -> Callable[[Any, Any], Any]:
    """How two of them become one."""
    if hasattr(metric, "merge_state"):
        one_by_one = hasattr(metric, "sync_on_compute")  # torchmetrics takes one, torcheval several
        return lambda first, other: _merged(first, first.merge_state(other if one_by_one else [other]))
    if hasattr(metric, "merge"):
        return lambda first, other: _merged(first, first.merge(other))
    if hasattr(metric, "__add__"):
        return operator.add
    raise TypeError(
        f"metric {name!r}, a {type(metric).__name__}, can't be merged over ranks: the mean of their values is not its "
        "value. Give it a method merge(other), or pass a function that returns the values of all items."
    )


def _merged(first: Any, returned: Any) -> Any:
    """Merging changes the first, or returns a new one."""
    return first if returned is None else returned
