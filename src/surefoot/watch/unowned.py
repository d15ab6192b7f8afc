"""The ledger of parameters that no optimizer holds: it keeps none of them alive."""

import weakref
from collections.abc import Iterable, Sequence

from torch import Tensor

from surefoot.watch.provenance import Clear, Ledger, State


class UnownedLedger(Ledger):
    """A ledger that knows its parameters by weak reference and forgets those that are gone."""

    def __init__(self) -> None:
        super().__init__([])
        self._refs: list[weakref.ref[Tensor]] = []

    def _hold(self) -> None:
        """Take hold of what still lives. `params` is filled only while the ledger works on it."""
        params = [ref() for ref in self._refs]
        alive = [i for i, param in enumerate(params) if param is not None]
        if len(alive) < len(params):
            self._keep(alive)
        self.params = [param for param in params if param is not None]

    def _keep(self, indices: Sequence[int]) -> None:
        provenances = self.provenances
        self._refs = [self._refs[i] for i in indices]
        self.states = [self.states[i] for i in indices]
        self.used = []
        self.assign([provenances[i] for i in indices])

    def alive(self) -> list[Tensor]:
        """The parameters, in the order of `states` and `provenances`."""
        self._hold()
        params, self.params = self.params, []
        return params

    def add(self, params: Sequence[Tensor]) -> None:
        super().add(params)
        self._refs += [weakref.ref(param) for param in params]
        self.params = []

    def drop(self, ids: Iterable[int]) -> None:
        """Some have found an optimizer."""
        gone = frozenset(ids)
        params = self.alive()
        if any(id(param) in gone for param in params):
            self._keep([i for i, param in enumerate(params) if id(param) not in gone])

    def look(self, clears: Sequence[Clear] = (), states: list[State] | None = None) -> None:
        if self._refs:
            self._hold()
            super().look(clears, states)
            self.params = []

    def settle(self, states: list[State] | None = None) -> None:
        self._hold()
        super().settle(states)
        self.params = []

    def receive(
        self, backward: int, states: list[State] | None = None, used: list[weakref.ref[Tensor]] | None = None
    ) -> int:
        if not self._refs:
            return 0
        self._hold()
        num_reached = super().receive(backward, states, used)
        self.params = []
        return num_reached
