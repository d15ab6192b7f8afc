"""Layers that behave differently in train and in eval mode.

By `type()`: `isinstance` would ask modules of the program for their `__class__`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from torch.nn import Module, MultiheadAttention, RNNBase
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.dropout import _DropoutNd
from torch.nn.modules.instancenorm import _InstanceNorm

from surefoot.watch.inventory.module import is_training, modules_of

_DROPS_BY_NAME = ("Dropout", "DropPath", "StochasticDepth", "DropBlock")


def drops(layer: Any) -> bool:
    """Whether it draws dropout in train mode."""
    if issubclass(type(layer), _DropoutNd):
        return bool(layer.p > 0)
    if issubclass(type(layer), RNNBase):
        return bool(layer.dropout > 0) and layer.num_layers > 1
    if issubclass(type(layer), MultiheadAttention):
        return bool(layer.dropout > 0)
    if type(layer).__name__.startswith(_DROPS_BY_NAME):
        chances = [getattr(layer, name, None) for name in ("p", "drop_prob", "drop_rate")]
        return any(isinstance(chance, float) and chance > 0 for chance in chances)
    return False


def normalises_by_batch(layer: Any) -> bool:
    """Whether it takes statistics from the batch in train mode, and its own in eval mode."""
    return issubclass(type(layer), _BatchNorm | _InstanceNorm) and layer.track_running_stats


def moves_statistics(layer: Any) -> bool:
    """Whether a forward in train mode changes its statistics."""
    return issubclass(type(layer), _BatchNorm) and layer.track_running_stats and layer.momentum != 0


def mode_layers(models: list[Module], *, in_train: bool) -> tuple[int, int]:
    """How many dropout and how many batch-norm layers of the models are in train mode, or in eval mode."""
    layers = {id(layer): layer for model in models for layer in modules_of(model) if is_training(layer) is in_train}
    normalises = moves_statistics if in_train else normalises_by_batch
    return sum(map(drops, layers.values())), sum(map(normalises, layers.values()))


def batchnorms(model: Module) -> Iterator[_BatchNorm]:
    layers: Sequence[Any] = modules_of(model)
    return (layer for layer in layers if issubclass(type(layer), _BatchNorm))
