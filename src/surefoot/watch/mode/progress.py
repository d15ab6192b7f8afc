"""How far each optimizer has come, also those that no longer live."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from weakref import WeakKeyDictionary

from torch import Tensor
from torch.nn import Module

from surefoot.watch.account import Account

KEPT_OPTIMIZERS = 64

Shapes = tuple[tuple[int, ...], ...]


class Progress:
    def __init__(self) -> None:
        self.num_steps = 0
        self.updates: Counter[int] = Counter()
        self._first: dict[int, int] = {}
        self._last: dict[int, int] = {}
        self._params: dict[int, frozenset[int]] = {}
        self._shapes: dict[int, Shapes] = {}
        self._twins: WeakKeyDictionary[Module, frozenset[int]] = WeakKeyDictionary()  # until other parameters are held

    def step(self, account: Account, times: int = 1) -> None:
        self._first.setdefault(account.id, self.num_steps + 1)
        self.num_steps += times
        self.updates[account.id] += times
        self._last[account.id] = self.num_steps
        if self._params.get(account.id) is not account.ids:
            self._params[account.id] = account.ids
            self._shapes[account.id] = _shapes(account.ledger.params)
            self._twins.clear()
        if len(self._params) > KEPT_OPTIMIZERS:
            oldest = next(iter(self._params))
            del self._params[oldest], self._shapes[oldest]

    def trainers(self, modules: list[Module]) -> frozenset[int]:
        """The optimizers that have stepped and train the innermost of these modules that has parameters."""
        for module in modules:
            params = list(module.parameters())
            if params:
                ids = {id(p) for p in params if p.requires_grad}
                return frozenset(n for n, held in self._params.items() if not ids.isdisjoint(held))
        return frozenset()

    def trainers_of_twin(self, model: Module) -> frozenset[int]:
        """The optimizers that train another model with parameters of the very same shapes: this one is its copy."""
        found = self._twins.get(model)
        if found is None:
            params = list(model.parameters())
            shapes, ids = _shapes(params), {id(p) for p in params}
            is_held = any(not ids.isdisjoint(held) for held in self._params.values())
            twins = [] if is_held or not ids else [n for n, held in self._shapes.items() if held == shapes]
            found = self._twins[model] = frozenset(twins)
        return found

    def num_in_play(self, trainers: frozenset[int]) -> int:
        """How many optimizers stepped since these first did."""
        since = min((self._first[n] for n in trainers), default=self.num_steps)
        return sum(last >= since for last in self._last.values())

    def steps_since(self, updates: Counter[int]) -> int:
        """Steps of the optimizer that stepped least, of those that stepped: rounds of an alternating game."""
        return min((gap for n, now in self.updates.items() if (gap := now - updates[n])), default=0)


def _shapes(params: Iterable[Tensor]) -> Shapes:
    return tuple([tuple(param.shape) for param in params])
