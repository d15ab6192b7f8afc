"""State dicts that the program keeps: they hold the weights themselves, not copies."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch.nn import Module

from surefoot.facts import AliasFacts, Site
from surefoot.watch.inventory.module import named_parameters, parameters_of
from surefoot.watch.saved.improvement import is_kept_as_best

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

KEPT = 256  # snapshots that are alive
FIRST_ENTRIES = 32  # of a dict that is used, among which a known tensor is looked for
DEPTH = 3  # of dicts in what is saved


@dataclass(slots=True)
class Snapshot:
    tensor: weakref.ref[Tensor]  # the first parameter in it; each call of `state_dict` makes a new one
    module: weakref.ref[Module]
    site: Site | None
    updates: list[tuple[TrackedOptimizer, int]]  # all optimizers since, and the steps they had taken when it was taken
    is_overwritten: bool = False
    version: int = 0  # of all its tensors together: rises when one of them is written to


class Snapshots:
    """Known by one of their tensors, which shallow copies of the dict share."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._by_tensor: dict[int, Snapshot] = {}
        self._last: dict[int, Snapshot] = {}  # of each module, by its id

    def take(self, module: Module, state: Mapping[str, Any], site: Site | None) -> None:
        name = next((name for name, _ in named_parameters(module)), None)
        tensor = None if name is None else state.get(name)
        if type(tensor) is not Tensor:
            return
        if len(self._by_tensor) >= KEPT:
            self._by_tensor = {key: kept for key, kept in self._by_tensor.items() if kept.tensor() is not None}
        if len(self._by_tensor) < KEPT:
            updates = [(tracked, tracked.num_updates) for tracked in self._recorder.optimizers.values()]
            taken = Snapshot(weakref.ref(tensor), weakref.ref(module), site, updates, version=version_of(state))
            if len(self._last) >= KEPT:
                self._last = {key: last for key, last in self._last.items() if last.module() is not None}
            self._by_tensor[id(tensor)] = taken
            if len(self._last) < KEPT:
                self._last[id(module)] = taken

    def trains(self, tracked: TrackedOptimizer) -> None:
        """An optimizer takes its first step; it may be gone when a snapshot is used."""
        for kept in (*self._by_tensor.values(), *self._last.values()):
            if kept.module() is not None and all(known is not tracked for known, _ in kept.updates):
                kept.updates.append((tracked, 0))

    def overwritten(self, module: Module, by: Any) -> None:
        """Other weights were loaded into a module."""
        for kept in self._by_tensor.values():
            if kept.module() is module and not _is_alias(by, module):
                kept.is_overwritten = True

    def load(self, module: Module, state: Any, site: Site | None) -> AliasFacts | None:
        """A state dict is about to be loaded: what is wrong with it, if it is one that was kept."""
        if not isinstance(state, Mapping):
            return None
        kept = self._find(state) or self._last_of(module)
        return None if kept is None else self._judge(kept, state, site, module)

    def _last_of(self, module: Module) -> Snapshot | None:
        """What was made of state dicts, as `{k: v.detach() for …}`, is as old as the last of them, or older."""
        last = self._last.get(id(module))
        return last if last is not None and last.module() is module else None

    def save(self, saved: Any, site: Site | None) -> Iterator[AliasFacts]:
        for state in _dicts_in(saved, DEPTH):
            kept = self._find(state)
            found = None if kept is None else self._judge(kept, state, site, None)
            if found is not None:
                yield found

    def find_unchanged(self, state: Mapping[Any, Any]) -> Snapshot | None:
        """One that was taken, and to whose tensors nobody has written since."""
        kept = self._find(state)
        return kept if kept is not None and kept.version == version_of(state) else None

    def _find(self, state: Mapping[Any, Any]) -> Snapshot | None:
        if not self._by_tensor:
            return None
        for value in islice(state.values(), FIRST_ENTRIES):
            kept = self._by_tensor.get(id(value))
            if kept is not None and kept.tensor() is value:
                return kept
        return None

    def _judge(
        self, kept: Snapshot, state: Mapping[Any, Any], site: Site | None, into: Module | None
    ) -> AliasFacts | None:
        module = kept.module()
        if module is None:
            return None
        ids = {id(param) for param in parameters_of(module)}
        updates = [(tracked, num) for tracked, num in kept.updates if not tracked.ids.isdisjoint(ids)]
        before = sum(num for _, num in updates)
        between = sum(tracked.num_updates for tracked, _ in updates) - before
        if not _is_alias(state, module):
            return None
        use = "save" if into is None else "load" if _is_alias(state, into) else "elsewhere"
        by_luck = use == "load" and before > 0 and is_kept_as_best(kept.site, site)
        if not (between or kept.is_overwritten or by_luck):
            return None
        return AliasFacts(type(module).__name__, kept.site, site, use, before, between, kept.is_overwritten)


def _is_alias(state: Mapping[Any, Any], module: Module) -> bool:
    """Whether all of the module's parameters are in it, and lie in the very same memory."""
    params = list(named_parameters(module))
    return bool(params) and all(_shares(state.get(name), param) for name, param in params)


def _shares(value: Any, param: Tensor) -> bool:
    return isinstance(value, Tensor) and value.device == param.device and value.data_ptr() == param.data_ptr()


def version_of(state: Mapping[Any, Any]) -> int:
    tensors = [value for value in state.values() if isinstance(value, Tensor) and not value.is_inference()]
    return sum([tensor._version for tensor in tensors])


def _dicts_in(value: Any, depth: int) -> Iterator[Mapping[Any, Any]]:
    if isinstance(value, Mapping):
        yield value
    if depth and isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            if isinstance(one, Mapping | list | tuple):
                yield from _dicts_in(one, depth - 1)
