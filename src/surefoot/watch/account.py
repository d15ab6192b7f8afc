"""What is kept about one optimizer."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Hashable
from typing import Any

from torch import Tensor
from torch.optim import Optimizer

from surefoot.facts import Site
from surefoot.watch.lane import Lane, Lanes
from surefoot.watch.provenance import Ledger


class Account:
    def __init__(self, number: int, optimizer: Optimizer, site: Site | None, clock: int) -> None:
        self.id = number
        self.optimizer = weakref.ref(optimizer)
        self.site = site  # where it was made
        self.made_in = threading.get_ident()
        self.lane: Lane | None = None  # of the thread that trains it, once it does
        self.since = clock  # the clock at its previous step
        self.num_updates = 0
        self.step_site: Site | None = None  # of its last step
        self.is_simple = False  # its last step was a plain one: no closure, not nested, all gradients alike
        self.judged_in_closure = False  # the running step was judged before its update
        self.repeats = 0  # steps since its last record that looked like one recorded before
        self.recorded: dict[Hashable, int] = {}  # by shape: the last record that had it
        self.alike: dict[int, int] = {}  # by record: steps since the last record that had its shape
        self.like = 0  # the record whose shape the last step had
        self.num_samples = 0  # of its loss
        self.sample_due = 0.0  # when its loss is to be sampled again (see sample.py)
        self.shapes: dict[Hashable, int] = {}  # how often each shape was seen
        self.ledger = Ledger(_params(optimizer))
        self.ids = frozenset(id(p) for p in self.ledger.params)

    def has_grown(self) -> bool:
        """A quick look for parameters added since, without comparing each."""
        optimizer = self.optimizer()
        groups = getattr(optimizer, "param_groups", ())
        return optimizer is not None and sum(len(g["params"]) for g in groups) != len(self.ledger.params)

    def refresh(self, optimizer: Optimizer) -> bool:
        """Follow changes of the parameter groups; whether there were any."""
        params = _params(optimizer)
        mine = self.ledger.params
        if len(params) == len(mine) and all(a is b for a, b in zip(params, mine, strict=True)):
            return False
        old = self.ledger
        known = {id(p): i for i, p in enumerate(old.params)}
        self.ledger = Ledger(params)
        for i, p in enumerate(params):
            if id(p) in known:
                self.ledger.provenances[i] = old.provenances[known[id(p)]]
                self.ledger.states[i] = old.states[known[id(p)]]
        self.ids = frozenset(id(p) for p in params)
        return True


class Accounts:
    """All live optimizers' accounts; one goes when its optimizer does."""

    def __init__(self) -> None:
        self._by_id: dict[int, Account] = {}
        self._all: list[Account] = []
        self._sharing: dict[int, list[Account]] | None = None
        self.version = 0  # counts changes

    def get(self, optimizer: Optimizer) -> Account | None:
        account = self._by_id.get(id(optimizer))
        return account if account is not None and account.optimizer() is optimizer else None

    def add(self, optimizer: Optimizer, account: Account) -> None:
        key = id(optimizer)
        account.optimizer = weakref.ref(optimizer, lambda gone: self._drop(key, gone))
        self._by_id[key] = account
        self.changed()

    def _drop(self, key: int, gone: Any) -> None:
        account = self._by_id.get(key)
        if account is not None and account.optimizer is gone:
            del self._by_id[key]
            account.ledger = Ledger([])  # whoever still holds the account must not keep the parameters alive
            self.changed()

    def changed(self) -> None:
        self.version += 1
        self._all = list(self._by_id.values())
        self._sharing = None

    def values(self) -> list[Account]:
        return self._all

    def sharing(self, account: Account) -> list[Account]:
        """The other accounts that hold some of the same parameters."""
        if self._sharing is None:
            self._sharing = {
                a.id: [b for b in self._all if b is not a and not a.ids.isdisjoint(b.ids)] for a in self._all
            }
        return self._sharing.get(account.id, [])

    def mark_shared(self, account: Account, step: tuple[int, int]) -> None:
        """Parameters that other optimizers hold too were used there as well."""
        for other in self.sharing(account):
            ledger = other.ledger
            ledger.use(step, [i for i, p in enumerate(ledger.params) if id(p) in account.ids and ledger.states[i]])

    def within_reach(self, lanes: Lanes) -> list[Account]:
        """The accounts that may be looked at: with several training threads, only our own.

        Reading `.grad` while another thread writes it can crash the process.
        """
        if len(lanes) == 1:
            return self._all
        lane, thread = lanes.here(), threading.get_ident()
        return [a for a in self._all if a.lane is lane or (a.lane is None and a.made_in == thread)]


def _params(optimizer: Optimizer) -> list[Tensor]:
    groups: list[dict[str, Any]] = getattr(optimizer, "param_groups", [])
    return [p for group in groups for p in group["params"] if isinstance(p, Tensor)]
