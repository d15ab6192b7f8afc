"""How far each optimizer has come, also those that no longer live."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from weakref import WeakKeyDictionary, ref

from torch import Tensor
from torch.nn import Module

from surefoot.watch.account import Account

KEPT_OPTIMIZERS = 64

Shapes = tuple[tuple[int, ...], ...]
Held = dict[int, ref[Tensor]]  # by id, which another parameter may get when one is gone


class Progress:
    def __init__(self) -> None:
        self.num_steps = 0
        self.updates: Counter[int] = Counter()
        self._first: dict[int, int] = {}
        self._last: dict[int, int] = {}
        self._ids: dict[int, frozenset[int]] = {}  # as the account had them
        self._params: dict[int, Held] = {}
        self._shapes: dict[int, Shapes] = {}
        self._twins: WeakKeyDictionary[Module, frozenset[int]] = WeakKeyDictionary()  # until other parameters are held

    def step(self, account: Account, times: int = 1) -> None:
        self._first.setdefault(account.id, self.num_steps + 1)
        self.num_steps += times
        self.updates[account.id] += times
        self._last[account.id] = self.num_steps
        if self._ids.get(account.id) is not account.ids:
            self._ids[account.id] = account.ids
            self._params[account.id] = {id(param): ref(param) for param in account.ledger.params}
            self._shapes[account.id] = _shapes(account.ledger.params)
            self._twins.clear()
        if len(self._params) > KEPT_OPTIMIZERS:
            oldest = next(iter(self._params))
            del self._ids[oldest], self._params[oldest], self._shapes[oldest]

    def trainers(self, modules: list[Module]) -> frozenset[int]:
        """The optimizers that have stepped and train the innermost of these modules that has parameters."""
        for module in modules:
            params = list(module.parameters())
            if params:
                wanted = [p for p in params if p.requires_grad]
                return frozenset(n for n, held in self._params.items() if _holds_any(held, wanted))
        return frozenset()

    def trainers_of_twin(self, model: Module) -> frozenset[int]:
        """The optimizers that train another model with parameters of the very same shapes: this one is its copy."""
        found = self._twins.get(model)
        if found is None:
            params = list(model.parameters())
            shapes = _shapes(params)
            is_held = any(_holds_any(held, params) for held in self._params.values())
            twins = [] if is_held or not params else [n for n, held in self._shapes.items() if held == shapes]
            found = self._twins[model] = frozenset(twins)
        return found

    def num_in_play(self, trainers: frozenset[int]) -> int:
        """How many optimizers stepped since these first did."""
        since = min((self._first[n] for n in trainers), default=self.num_steps)
        return sum(last >= since for last in self._last.values())

    def steps_since(self, updates: Counter[int]) -> int:
        """Steps of the optimizer that stepped least, of those that stepped: rounds of an alternating game."""
        return min((gap for n, now in self.updates.items() if (gap := now - updates[n])), default=0)


def _holds_any(held: Held, params: Iterable[Tensor]) -> bool:
    return any((known := held.get(id(param))) is not None and known() is param for param in params)


def _shapes(params: Iterable[Tensor]) -> Shapes:
    return tuple([tuple(param.shape) for param in params])
