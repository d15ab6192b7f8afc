"""Optimizers made again over the same parameters: who followed whom, and was anything lost."""

import weakref
from dataclasses import dataclass

from torch import Tensor
from torch.nn import Parameter

from surefoot.facts import Site
from surefoot.watch.account import Account
from surefoot.watch.inventory.mark import sample

KEPT_ANCESTORS = 8
KEPT_LINES = 256  # sets of parameters remembered; programs that make more make models all the time


@dataclass(slots=True)
class Generation:
    """One optimizer of a line. Its first parameter stands for all."""

    account: Account
    first: "weakref.ref[Tensor]"
    memory: int  # where the first parameter lies
    ancestors: tuple[int, ...] = ()
    values: str = ""  # of the first parameter after the last step, in a suspicious line

    @property
    def id(self) -> int:
        return self.account.id


class Lineage:
    """Knows the newest optimizer of each set of parameters, also when it is gone."""

    def __init__(self) -> None:
        self._newest: dict[frozenset[int], Generation] = {}
        self._by_id: dict[int, Generation] = {}

    def made(self, account: Account) -> bool:
        """An optimizer is new; whether its line is suspicious, so that `stepped` is to be told of every step."""
        if not account.ledger.params:
            return False
        first = account.ledger.params[0]
        born = Generation(account, weakref.ref(first), _memory(first))
        old = self._newest.get(account.ids)
        if old is not None and self._continues(old, first, account.site):
            born.ancestors = (*old.ancestors[1 - KEPT_ANCESTORS :], old.id)
        if old is not None:
            self._by_id.pop(old.id, None)
        self._newest[account.ids] = self._by_id[account.id] = born
        if len(self._newest) > KEPT_LINES:
            gone = self._newest.pop(next(iter(self._newest)))
            self._by_id.pop(gone.id, None)
        return bool(born.ancestors)

    def _continues(self, old: Generation, first: Tensor, site: Site | None) -> bool:
        """The same line of code made the old one, which lost its state, and nobody set the model back in between."""
        account = old.account
        if old.first() is not first or account.site != site or not account.was_stateful:
            return False
        same = account.version_left == first._version and old.memory == _memory(first)
        return same and (not old.values or old.values == sample(first))

    def stepped(self, account: Account) -> None:
        """Values are only read in a suspicious line."""
        generation = self._by_id.get(account.id)
        first = None if generation is None or not generation.ancestors else generation.first()
        if generation is not None and first is not None:
            generation.values = sample(first)

    def ancestors(self, account: Account) -> tuple[int, ...]:
        generation = self._by_id.get(account.id)
        return () if generation is None else generation.ancestors


def _memory(param: Tensor) -> int:
    """It changes when a model is moved or given other values."""
    return param.data_ptr() if type(param) is Parameter and not param.is_meta else 0
