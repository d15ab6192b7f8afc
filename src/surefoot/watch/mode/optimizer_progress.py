"""How far each optimizer has come, also those that no longer live."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING
from weakref import ref

from torch import Tensor
from torch.nn import Module

from surefoot.watch.inventory.module import parameters_of
from surefoot.watch.tracked_optimizer import TrackedOptimizer

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

KEPT_OPTIMIZERS = 64

Shapes = tuple[tuple[int, ...], ...]
Held = dict[int, ref[Tensor]]  # by id, which another parameter may get when one is gone


class OptimizerProgress:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._first: dict[int, int] = {}
        self._ids: dict[int, frozenset[int]] = {}  # as the tracked optimizer had them
        self._params: dict[int, Held] = {}
        self._shapes: dict[int, Shapes] = {}
        self._twins: dict[int, tuple[ref[Module], frozenset[int]]] = {}  # until other parameters are held

    @property
    def updates(self) -> Counter[int]:
        return Counter(self._recorder.updates)

    def step(self, tracked: TrackedOptimizer) -> None:
        """An optimizer steps; the first ones of each are told."""
        self._first.setdefault(tracked.id, self._recorder.num_steps)
        if self._ids.get(tracked.id) is not tracked.ids:
            self._ids[tracked.id] = tracked.ids
            self._params[tracked.id] = {id(param): ref(param) for param in tracked.ledger.params}
            self._shapes[tracked.id] = _shapes(tracked.ledger.params)
            self._twins.clear()
        if len(self._params) > KEPT_OPTIMIZERS:
            oldest = next(iter(self._params))
            del self._ids[oldest], self._params[oldest], self._shapes[oldest]

    def trainers(self, modules: list[Module]) -> frozenset[int]:
        """The optimizers that have stepped and train the innermost of these modules that has parameters."""
        for module in modules:
            params = list(parameters_of(module))
            if params:
                wanted = [p for p in params if p.requires_grad]
                return frozenset(n for n, held in self._params.items() if _holds_any(held, wanted))
        return frozenset()

    def trainers_of_twin(self, model: Module) -> frozenset[int]:
        """The optimizers that train another model with parameters of the very same shapes: this one is its copy."""
        known = self._twins.get(id(model))
        found = known[1] if known is not None and known[0]() is model else None
        if found is None:
            params = list(parameters_of(model))
            shapes = _shapes(params)
            is_held = any(_holds_any(held, params) for held in self._params.values())
            twins = [] if is_held or not params else [n for n, held in self._shapes.items() if held == shapes]
            found = frozenset(twins)
            self._twins[id(model)] = (ref(model), found)
        return found

    def num_in_play(self, trainers: frozenset[int]) -> int:
        """How many optimizers stepped since these first did."""
        since = min((self._first[n] for n in trainers), default=self._recorder.num_steps)
        return sum(last >= since for last in self._recorder.stepped_at.values())

    def steps_since(self, updates: Counter[int]) -> int:
        """Steps of the optimizer that stepped least, of those that stepped: rounds of an alternating game."""
        return min((gap for n, now in self.updates.items() if (gap := now - updates[n])), default=0)


def _holds_any(held: Held, params: Iterable[Tensor]) -> bool:
    return any((known := held.get(id(param))) is not None and known() is param for param in params)


def _shapes(params: Iterable[Tensor]) -> Shapes:
    return tuple([tuple(param.shape) for param in params])
