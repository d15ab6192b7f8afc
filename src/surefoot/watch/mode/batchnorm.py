"""What batch-norm layers do in train mode: how many values they see, and whether frozen ones drift."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import SyncBatchNorm
from torch.nn.modules.batchnorm import _BatchNorm

from surefoot.facts import DriftFacts, Site, TinyBatchFacts
from surefoot.watch.mode.layer import moves_statistics
from surefoot.watch.name import Names
from surefoot.watch.tracked_optimizer import TrackedOptimizer

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

FEW_VALUES = 4  # a variance of fewer values is mostly noise
TOLD_COUNTS = 16  # up to which every new count is worth a record
KEPT_LAYERS = 4096  # beyond which dead ones are forgotten


class Layer:
    """What is kept about one batch-norm layer."""

    __slots__ = ("drift", "last_step", "num_forwards", "num_tiny", "ref", "site", "values")

    def __init__(self, layer: _BatchNorm) -> None:
        self.ref = weakref.ref(layer)
        self.num_forwards = 0  # training forwards
        self.num_tiny = 0
        self.values = 0
        self.site: Site | None = None
        self.last_step = -1  # the number of steps taken when it last trained
        self.drift: Drift | None = None


class Drift:
    """A layer in train mode with frozen weights, as it was when first seen so."""

    def __init__(self, layer: _BatchNorm, num_steps: int, site: Site | None) -> None:
        self.weights = {name: _copy(p) for name, p in layer._parameters.items()}
        self.mean, self.var = _copy(layer.running_mean), _copy(layer.running_var)
        self.first_step = num_steps
        self.num_forwards = 0
        self.site = site
        self.under_no_grad = True
        self.weights_move = False  # something else trains them: a momentum encoder, an alternating game

    def still_frozen(self, layer: _BatchNorm) -> bool:
        if not self.weights_move:
            now = layer._parameters
            self.weights_move = not _is_frozen(layer) or not all(_same(now[k], was) for k, was in self.weights.items())
        return not self.weights_move

    def shift(self, layer: _BatchNorm) -> float | None:
        if self.mean is None or self.var is None or layer.running_mean is None:
            return None
        moved = (layer.running_mean - self.mean).abs() / (self.var + layer.eps).sqrt()
        return float(moved.mean())


def _copy(tensor: Tensor | None) -> Tensor | None:
    return None if tensor is None else tensor.detach().clone()


def _same(now: Tensor | None, was: Tensor | None) -> bool:
    return now is was if now is None or was is None else torch.equal(now, was)


class BatchNorms:
    def __init__(
        self, recorder: Recorder, find_site: Callable[[], Site | None], find_frozen: Callable[[], Site | None]
    ) -> None:
        self._recorder = recorder
        self._find_site = find_site  # of the model's call; walks the stack
        self._find_frozen = find_frozen  # of the call of its frozen part, as of a teacher under `no_grad`
        self._layers: dict[int, Layer] = {}
        self.shape = (0, 0)  # rises while there is something new to tell, and then no more
        self._tiny: list[Layer] = []
        self._drifting: list[Layer] = []

    def passes(self, layer: _BatchNorm, given: Any) -> bool:
        """Whether this training forward of a known layer is as ordinary as can be; then it is counted."""
        known = self._layers.get(id(layer))
        if known is None or known.drift is not None or known.ref() is not layer:
            return False
        weight = layer._parameters.get("weight")
        if (weight is not None and not weight.requires_grad) or type(given) is not Tensor:
            return False
        shape = given.shape
        if not shape or shape[0] < FEW_VALUES:
            return False
        known.num_forwards += 1
        known.last_step = self._recorder.num_steps
        return True

    def trains(self, layer: _BatchNorm, given: Tensor) -> None:
        """A forward in train mode is about to run."""
        known = self._layers.get(id(layer))
        if known is None or known.ref() is not layer:
            known = self._learn(layer)
        with_gradient = torch.is_grad_enabled()
        if with_gradient:
            known.num_forwards += 1
            known.last_step = self._recorder.num_steps
            if given.shape[0] < FEW_VALUES and not _is_synchronised(layer):
                self._count_values(known, given)
        if known.drift is not None or (_is_frozen(layer) and moves_statistics(layer)):
            self._count_drift(known, layer, with_gradient)

    def _learn(self, layer: _BatchNorm) -> Layer:
        if len(self._layers) >= KEPT_LAYERS:
            self._layers = {key: known for key, known in self._layers.items() if known.ref() is not None}
        known = self._layers[id(layer)] = Layer(layer)
        return known

    def _count_values(self, known: Layer, given: Tensor) -> None:
        values = given.numel() // max(1, given.shape[1])
        if values >= FEW_VALUES:
            return
        if not known.num_tiny:
            known.site = self._find_site()
            self._tiny.append(known)
        known.num_tiny += 1
        known.values = values
        self._tell(known.num_tiny, 0)

    def _count_drift(self, known: Layer, layer: _BatchNorm, with_gradient: bool) -> None:
        if known.drift is None:
            site = None if with_gradient else self._find_frozen()
            known.drift = Drift(layer, self._recorder.num_steps, site or self._find_site())
            self._drifting.append(known)
        known.drift.num_forwards += 1
        known.drift.under_no_grad &= not with_gradient
        self._tell(0, known.drift.num_forwards)

    def _tell(self, num_tiny: int, num_drifting: int) -> None:
        tiny, drifting = self.shape
        if tiny < num_tiny <= TOLD_COUNTS or drifting < num_drifting <= TOLD_COUNTS:
            self.shape = (max(tiny, num_tiny), max(drifting, num_drifting))
            self._recorder.arm()

    def num_forwards(self, layer: _BatchNorm) -> int:
        """Training forwards so far."""
        known = self._layers.get(id(layer))
        return known.num_forwards if known is not None and known.ref() is layer else 0

    def num_trained(self, tracked: TrackedOptimizer, since_step: int) -> int:
        """Layers of an optimizer that trained since a step."""
        return sum(
            known.last_step >= since_step and (layer := known.ref()) is not None and _belongs(layer, tracked)
            for known in self._layers.values()
        )

    def tiny_batch(self, tracked: TrackedOptimizer, names: Names) -> TinyBatchFacts | None:
        mine = [(known, layer) for known in self._tiny if (layer := known.ref()) and _belongs(layer, tracked)]
        if not mine:
            return None
        known, layer = max(mine, key=lambda pair: pair[0].num_tiny)
        return TinyBatchFacts(
            layer=_name(layer, names),
            num_layers=len(mine),
            below=FEW_VALUES,
            values_per_channel=known.values,
            num_tiny=known.num_tiny,
            num_forwards=known.num_forwards,
            site=known.site,
        )

    def drift(self, names: Names) -> DriftFacts | None:
        mine = [
            (drift, layer)
            for known in self._drifting
            if (layer := known.ref()) and (drift := known.drift) and layer.training and drift.still_frozen(layer)
        ]
        if not mine:
            return None
        drift, layer = max(mine, key=lambda pair: pair[0].num_forwards)
        return DriftFacts(
            layer=_name(layer, names),
            num_layers=len(mine),
            num_forwards=drift.num_forwards,
            num_steps=self._recorder.num_steps - drift.first_step,
            under_no_grad=drift.under_no_grad,
            shift=drift.shift(layer),
            site=drift.site,
        )


def _is_frozen(layer: _BatchNorm) -> bool:
    params = layer._parameters
    weight, bias = params.get("weight"), params.get("bias")
    return weight is not None and not weight.requires_grad and (bias is None or not bias.requires_grad)


def _is_synchronised(layer: _BatchNorm) -> bool:
    """Whether it shares its statistics with other processes, and so sees more values than its own."""
    return isinstance(layer, SyncBatchNorm) and torch.distributed.is_available() and torch.distributed.is_initialized()


def _belongs(layer: _BatchNorm, tracked: TrackedOptimizer) -> bool:
    weight = layer._parameters.get("weight")
    return weight is None or id(weight) in tracked.ids


def _name(layer: _BatchNorm, names: Names) -> str:
    weight = layer._parameters.get("weight")
    return type(layer).__name__ if weight is None else names.of(weight).removesuffix(".weight")
