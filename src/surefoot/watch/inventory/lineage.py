"""Optimizers made again over the same parameters: who followed whom, and was anything lost."""

import weakref
from dataclasses import dataclass

from torch import Tensor
from torch.nn import Parameter
from torch.optim import Optimizer

from surefoot.facts import Site
from surefoot.watch.account import Account
from surefoot.watch.inventory.mark import sample

KEPT_ANCESTORS = 8
KEPT_LINES = 256  # sets of parameters remembered; programs that make more make models all the time


@dataclass(slots=True)
class Generation:
    """One optimizer of a line. Its first parameter stands for all."""

    id: int
    site: Site | None
    first: "weakref.ref[Tensor]"
    ancestors: tuple[int, ...] = ()
    stateful: bool = False
    num_updates: int = 0
    left: object = None  # what the first parameter looked like after its last step


class Lineage:
    """Knows the newest optimizer of each set of parameters, also when it is gone."""

    def __init__(self) -> None:
        self._newest: dict[frozenset[int], Generation] = {}
        self._by_id: dict[int, Generation] = {}

    def made(self, account: Account) -> None:
        if not account.ledger.params:
            return
        first = account.ledger.params[0]
        born = Generation(account.id, account.site, weakref.ref(first))
        old = self._newest.get(account.ids)
        if old is not None and self._continues(old, first, account.site):
            born.ancestors = (*old.ancestors[1 - KEPT_ANCESTORS :], old.id)
        if old is not None:
            self._by_id.pop(old.id, None)
        self._newest[account.ids] = self._by_id[account.id] = born
        if len(self._newest) > KEPT_LINES:
            gone = self._newest.pop(next(iter(self._newest)))
            self._by_id.pop(gone.id, None)

    def _continues(self, old: Generation, first: Tensor, site: Site | None) -> bool:
        """The same line of code made the old one, which lost its state, and nobody set the model back in between."""
        return old.first() is first and old.site == site and old.stateful and old.left == _look(old, first)

    def stepped(self, account: Account, optimizer: Optimizer) -> None:
        generation = self._by_id.get(account.id)
        if generation is None:
            return
        if generation.num_updates == 0:
            generation.stateful = any(optimizer.state.values())
        generation.num_updates += 1
        first = generation.first()
        if first is not None:
            generation.left = _look(generation, first)

    def ancestors(self, account: Account) -> tuple[int, ...]:
        generation = self._by_id.get(account.id)
        return () if generation is None else generation.ancestors


def _look(generation: Generation, first: Tensor) -> object:
    """Version and memory change when a model is loaded or initialised; values are only read in a suspicious line."""
    values = sample(first) if generation.ancestors else ""
    memory = first.data_ptr() if type(first) is Parameter else 0
    return (first._version, memory, values)
