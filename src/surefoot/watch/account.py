"""What is kept about one optimizer."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from operator import is_
from typing import Any

import torch
from torch import Tensor
from torch.nn.parameter import is_lazy
from torch.optim import Optimizer

from surefoot.facts import Site
from surefoot.watch.lane import Lane, Lanes
from surefoot.watch.provenance import Clear, Ledger
from surefoot.watch.window import Windows


class Account:
    def __init__(self, number: int, optimizer: Optimizer, site: Site | None, clock: int) -> None:
        self.id = number
        self.optimizer = weakref.ref(optimizer)
        self.site = site  # where it was made
        self.made_in = threading.get_ident()
        self.lane: Lane | None = None  # of the thread that trains it, once it does
        self.since = clock  # the clock at its previous step
        self.num_updates = 0  # attempted
        self.num_skipped = 0  # of these, by a GradScaler
        self.last_step = self.previous_step = 0  # indices of the last one and of the one before it
        self.step_site: Site | None = None  # of its last step
        self.judged_in_closure = False  # the running step was judged before its update
        self.clears: list[Clear] = []  # by its own `zero_grad`, since the last look
        self.looked_at = clock
        self.was_stateful = False  # it kept something of its first step
        self.version_left = 0  # of its first parameter, after the last step
        self.hold(_params(optimizer))
        with torch._C.DisableTorchFunction():  # a subclass would see what we ask it
            size = sum(p.numel() for p in self.ledger.params if not is_lazy(p))
        self.windows = Windows(number, size)

    def hold(self, params: list[Tensor]) -> None:
        self.ledger = Ledger(params)
        self.ids = frozenset(id(p) for p in params)

    def refresh(self, optimizer: Optimizer) -> bool:
        """Follow changes of the parameter groups; whether there were any."""
        mine = self.ledger.params
        start = 0
        for group in optimizer.param_groups:
            params = group["params"]
            end = start + len(params)
            if not all(map(is_, params, mine[start:end])) or end > len(mine):
                break
            start = end
        else:
            if start == len(mine):
                return False
        return self._follow(_params(optimizer))

    def _follow(self, params: list[Tensor]) -> bool:
        old = self.ledger
        if len(params) == len(old.params) and all(map(is_, params, old.params)):
            return False
        known = dict(zip(map(id, old.params), zip(old.provenances, old.states, strict=True), strict=True))
        self.hold(params)
        provenances = self.ledger.provenances
        for i, param in enumerate(params):
            if id(param) in known:
                provenances[i], self.ledger.states[i] = known[id(param)]
        self.ledger.assign(provenances)
        return True


class Accounts:
    """All live optimizers' accounts; one goes when its optimizer does."""

    def __init__(self) -> None:
        self.by_id: dict[int, Account] = {}  # by identity of the optimizer
        self.all: list[Account] = []
        self._owners: dict[int, list[Account]] | None = None  # by id of a parameter
        self.version = 0  # counts changes
        self.gone: list[tuple[int, int, dict[int, int]]] = []  # windows that were counted and not told so far

    def get(self, optimizer: Optimizer) -> Account | None:
        account = self.by_id.get(id(optimizer))
        return account if account is not None and account.optimizer() is optimizer else None

    def add(self, optimizer: Optimizer, account: Account) -> None:
        key = id(optimizer)
        account.optimizer = weakref.ref(optimizer, lambda gone: self._drop(key, gone))
        self.by_id[key] = account
        self.changed()

    def _drop(self, key: int, gone: Any) -> None:
        account = self.by_id.get(key)
        if account is not None and account.optimizer is gone:
            del self.by_id[key]
            self.gone.append((account.id, account.windows.repeats, account.windows.alike))
            account.ledger = Ledger([])  # whoever still holds the account must not keep the parameters alive
            self.changed()

    def changed(self) -> None:
        self.version += 1
        self.all = list(self.by_id.values())
        self._owners = None

    def values(self) -> list[Account]:
        return self.all

    def owners(self) -> dict[int, list[Account]]:
        """Accounts by the identity of a parameter that they hold."""
        if self._owners is None:
            self._owners = {}
            for account in self.all:
                for key in account.ids:
                    self._owners.setdefault(key, []).append(account)
        return self._owners

    def holding(self, ids: Iterable[int]) -> list[Account]:
        """Those that hold some of these parameters, in the order of their making."""
        owners = self.owners()
        found = {account.id: account for key in ids for account in owners.get(key, ())}
        return [found[number] for number in sorted(found)]

    def sharing(self, account: Account) -> list[Account]:
        """The other accounts that hold some of the same parameters."""
        if len(self.all) < 2:
            return []
        return [other for other in self.holding(account.ids) if other is not account]

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
            return self.all
        lane, thread = lanes.here(), threading.get_ident()
        return [a for a in self.all if a.lane is lane or (a.lane is None and a.made_in == thread)]


def _params(optimizer: Optimizer) -> list[Tensor]:
    groups: list[dict[str, Any]] = getattr(optimizer, "param_groups", [])
    return [p for group in groups for p in group["params"] if isinstance(p, Tensor)]
