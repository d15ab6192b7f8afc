"""The two directions of a recurrent layer: is one of them idle?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from torch import Tensor
from torch.nn import Module, RNNBase

from surefoot.watch.inventory.module import part


class IdleDirection(NamedTuple):
    layer: Module
    kind: str  # "direction", or "recurrence": only what it carries from position to position
    direction: str  # "forward" or "reverse"
    params: list[Tensor]


def idle_directions(modules: Iterable[Any], zero: set[int]) -> list[IdleDirection]:
    """Bidirectional layers, among these, of which one direction gets a gradient of 0 and the other does not.

    `zero` are the identities of the parameters that get 0. Only the last layer can: below it both directions are used.
    """
    layers = {id(m): m for m in modules if issubclass(type(m), RNNBase) and m.bidirectional}
    found = []
    for layer in layers.values():
        forward, reverse = _direction(layer, ""), _direction(layer, "_reverse")
        for direction, mine, other in (("forward", forward, reverse), ("reverse", reverse, forward)):
            idle = [param for param in mine.values() if id(param) in zero]
            if not idle or any(id(param) in zero for param in other.values()):
                continue
            if len(idle) == len(mine):
                found.append(IdleDirection(layer, "direction", direction, idle))
            elif len(idle) == 1 and idle[0] is mine.get("weight_hh"):
                found.append(IdleDirection(layer, "recurrence", direction, idle))
    return found


def _direction(layer: Any, suffix: str) -> dict[str, Tensor]:
    """The parameters of the last layer's one direction, by kind."""
    end = f"_l{layer.num_layers - 1}{suffix}"
    own = part(layer, "_parameters").items()
    return {name.removesuffix(end): param for name, param in own if param is not None and name.endswith(end)}
