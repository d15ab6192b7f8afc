"""Files that hold the state of an optimizer beside weights, and where those weights went."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor
from torch.nn import Module
from torch.optim import Optimizer

from surefoot.facts import Site, UnrestoredFacts
from surefoot.watch.inventory.module import named_parameters

KEPT = 8  # files
DEPTH = 4  # of containers in a file
RATES = frozenset(("lr", "initial_lr", "params", "param_names", "max_lr", "min_lr", "max_momentum", "base_momentum"))
HOW = frozenset(("foreach", "fused", "capturable", "differentiable", "maximize", "decoupled_weight_decay"))


@dataclass(slots=True)
class OptimizerState:
    """What `optimizer.state_dict()` returned, as far as it is compared."""

    groups: list[dict[str, Any]]
    shapes: dict[int, tuple[int, ...]]  # of the states, by the index of the parameter
    taken: Site | None = None  # where an optimizer has loaded it
    trains: bool = False  # and has stepped with it: what is made later is for another phase


@dataclass(slots=True)
class LoadedFile:
    name: str
    states: list[OptimizerState]
    tensors: dict[int, weakref.ref[Tensor]]  # the weights in it
    position: int | None = None  # of the furthest schedule in it
    filled: dict[int, tuple[weakref.ref[Tensor], Site | None]] = field(default_factory=dict)  # parameters, by id


class LoadedFiles:
    def __init__(self) -> None:
        self._files: list[LoadedFile] = []

    def note(self, loaded: Any, name: str) -> None:
        states = list(_optimizer_states(loaded, DEPTH))
        if states:
            tensors = {id(tensor): weakref.ref(tensor) for tensor in _weights(loaded, DEPTH)}
            position = max(_schedule_positions(loaded, DEPTH), default=None)
            self._files.append(LoadedFile(name, states, tensors, position))
            del self._files[:-KEPT]

    def fill(self, module: Module, state: Mapping[Any, Any], site: Site | None) -> None:
        """A model has taken weights; note from which file."""
        for file in self._files:
            for name, param in named_parameters(module):
                if _is_known(state.get(name), file.tensors):
                    file.filled[id(param)] = (weakref.ref(param), site)
                elif name in state:
                    file.filled.pop(id(param), None)  # it has other weights now

    def take(self, groups: Any, site: Site | None) -> LoadedFile | None:
        """An optimizer loads these groups: the file that they are from."""
        first = next(iter(groups), None)
        for file in self._files:
            for state in file.states:
                if any(group is first for group in state.groups):
                    state.taken = site
                    return file
        return None

    def train(self, site: Site | None) -> None:
        """The optimizer steps that has loaded its state there."""
        for file in self._files:
            for state in file.states:
                state.trains |= site is not None and state.taken == site

    def unrestored(self, optimizer: Optimizer) -> UnrestoredFacts | None:
        """Of an optimizer without state: the file that its weights are from, if that holds a state for it."""
        found = None
        params = [param for group in optimizer.param_groups for param in group["params"]]
        for file in self._files:
            sources = [_filled_at(file, param) for param in params]
            if not sources or None in sources:
                continue
            site = sources[0]
            states = [state for state in file.states if not state.trains]
            for state in sorted(states, key=lambda state: state.taken is None):
                same = _compare(state, optimizer)
                facts = UnrestoredFacts(
                    file.name, site[0] if site else None, len(state.shapes), *same, taken=state.taken
                )
                if found is None or all(same):
                    found = facts
        return found


def _is_known(value: Any, tensors: dict[int, weakref.ref[Tensor]]) -> bool:
    ref = tensors.get(id(value))
    return ref is not None and ref() is value


def _filled_at(file: LoadedFile, param: Tensor) -> tuple[Site | None] | None:
    """Where a parameter was filled from the file."""
    ref, site = file.filled.get(id(param), (None, None))
    return (site,) if ref is not None and ref() is param else None


def _compare(state: OptimizerState, optimizer: Optimizer) -> tuple[bool, bool, bool]:
    groups = optimizer.param_groups
    if [len(group["params"]) for group in groups] != [len(group.get("params", ())) for group in state.groups]:
        return False, False, False
    params = [param for group in groups for param in group["params"]]
    indices = [index for group in state.groups for index in group["params"]]
    shapes = [state.shapes.get(index) for index in indices]
    same_params = all(shape in (None, tuple(p.shape)) for shape, p in zip(shapes, params, strict=True))
    pairs = list(zip(state.groups, groups, strict=True))
    same_settings = all(_settings(old) == _settings(new) for old, new in pairs)
    same_rate = all(_base_rate(old) == _base_rate(new) or _rate(old) == _rate(new) for old, new in pairs)
    return same_params, same_settings, same_rate


def _settings(group: Mapping[str, Any]) -> dict[str, Any]:
    plain = {key: value for key, value in group.items() if key not in RATES | HOW}
    return {key: tuple(value) if isinstance(value, list) else str(value) for key, value in plain.items()}


def _rate(group: Mapping[str, Any]) -> float:
    return float(group.get("lr", 0.0))


def _base_rate(group: Mapping[str, Any]) -> float:
    return float(group.get("initial_lr", group.get("lr", 0.0)))


def _optimizer_states(value: Any, depth: int) -> Iterator[OptimizerState]:
    if is_optimizer_state(value):
        shapes = {index: shape for index, one in value["state"].items() if (shape := _shape_of(one)) is not None}
        if shapes:
            yield OptimizerState(list(value["param_groups"]), shapes)
    elif depth and isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            if isinstance(one, Mapping | list | tuple):
                yield from _optimizer_states(one, depth - 1)


def _schedule_positions(value: Any, depth: int) -> Iterator[int]:
    """Of schedules that count their advances; one that follows a metric has no course to be taken up again."""
    if isinstance(value, Mapping) and "last_epoch" in value and "_step_count" in value:
        if isinstance(value["last_epoch"], int) and "num_bad_epochs" not in value:
            yield value["last_epoch"]
    elif depth and isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            if isinstance(one, Mapping | list | tuple):
                yield from _schedule_positions(one, depth - 1)


def is_optimizer_state(value: Any) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("state"), Mapping):
        return False
    groups = value.get("param_groups")
    return isinstance(groups, list) and all(isinstance(group, Mapping) and "params" in group for group in groups)


def _shape_of(state: Any) -> tuple[int, ...] | None:
    """The shape of what an optimizer keeps for a parameter; none if it keeps at most a counter."""
    values = state.values() if isinstance(state, Mapping) else ()
    return next((tuple(one.shape) for one in values if isinstance(one, Tensor) and one.dim()), None)


def _weights(value: Any, depth: int) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif depth and isinstance(value, Mapping | list | tuple) and not is_optimizer_state(value):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _weights(one, depth - 1)
