"""Equal averages of weights by torch's `AveragedModel`: are their batch-norm statistics made for them?

It gives the average the statistics of the last weights that went into it. `update_bn` takes new ones.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch.nn import Module, Parameter
from torch.optim.swa_utils import AveragedModel

from surefoot.facts import PlainAverageFacts
from surefoot.watch.inventory.module import is_training, parameters_of
from surefoot.watch.mode.statistics import are_equal, layers_of, statistics_of, weights_of

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

FEWEST = 3  # weights that were averaged
APART = 0.02  # relative distance of the average from the last weights: nearer ones may share their statistics


class Last:
    """What an average was given last."""

    def __init__(self, averaged: AveragedModel, model: Module) -> None:
        self.averaged = weakref.ref(averaged)
        self.weights = weights_of(model)
        self.statistics = statistics_of(averaged.module)


class PlainAverages:
    def __init__(self, recorder: Recorder, probe: str, found: Callable[[PlainAverageFacts], None]) -> None:
        self._recorder, self._found = recorder, found
        self._last: dict[int, Last] = {}  # by identity of the average
        recorder.tap.listen(AveragedModel, "update_parameters", probe, after=self._updated)
        recorder.tap.listen(AveragedModel, "forward", probe, before=self._called)

    def _updated(self, begun: None, args: Any, kwargs: Any, result: None) -> None:
        averaged = args[0]
        model = args[1] if len(args) > 1 else kwargs.get("model")
        if isinstance(model, Module) and _is_plain(averaged) and statistics_of(averaged.module):
            self._last[id(averaged)] = Last(averaged, model)

    def _called(self, args: Any, kwargs: Any) -> None:
        averaged = args[0]
        last = self._last.get(id(averaged))
        if last is None or id(last.averaged()) != id(averaged) or is_training(averaged.module):
            return
        if int(averaged.n_averaged) < FEWEST or not are_equal(statistics_of(averaged.module), last.statistics):
            return
        own = weights_of(averaged.module)
        apart = float((own - last.weights).norm() / last.weights.norm().clamp_min(1e-12))
        if apart >= APART:
            del self._last[id(averaged)]
            kind, num_layers = type(averaged.module).__name__, len(layers_of(averaged.module))
            site = self._recorder.sites.here()
            self._found(PlainAverageFacts(kind, num_layers, int(averaged.n_averaged), apart, site))


def _is_plain(averaged: AveragedModel) -> bool:
    """Every weight counts the same, and buffers are not averaged."""
    how = averaged.multi_avg_fn
    is_equal = averaged.avg_fn is None and (how is None or "swa_update" in getattr(how, "__name__", ""))
    return (
        is_equal
        and not averaged.use_buffers
        and all(type(p) in (Tensor, Parameter) for p in parameters_of(averaged.module))
    )
