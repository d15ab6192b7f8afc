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
from surefoot.watch.provenance import Clear, Ledger
from surefoot.watch.thread_state import ThreadState, ThreadStates
from surefoot.watch.window import Windows


class TrackedOptimizer:
    def __init__(self, number: int, optimizer: Optimizer, site: Site | None, clock: int) -> None:
        self.id = number
        self.optimizer = weakref.ref(optimizer)
        self.site = site  # where it was made
        self.made_in = threading.get_ident()
        self.thread_state: ThreadState | None = None  # of the thread that trains it, once it does
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


class TrackedOptimizers:
    """All live optimizers that are tracked; one goes when its optimizer does."""

    def __init__(self) -> None:
        self.by_id: dict[int, TrackedOptimizer] = {}  # by identity of the optimizer
        self.all: list[TrackedOptimizer] = []
        self._owners: dict[int, list[TrackedOptimizer]] | None = None  # by id of a parameter
        self.version = 0  # counts changes
        self.gone: list[tuple[int, int, dict[int, int]]] = []  # windows that were counted and not told so far

    def get(self, optimizer: Optimizer) -> TrackedOptimizer | None:
        tracked = self.by_id.get(id(optimizer))
        return tracked if tracked is not None and tracked.optimizer() is optimizer else None

    def add(self, optimizer: Optimizer, tracked: TrackedOptimizer) -> None:
        key = id(optimizer)
        tracked.optimizer = weakref.ref(optimizer, lambda gone: self._drop(key, gone))
        self.by_id[key] = tracked
        self.changed()

    def _drop(self, key: int, gone: Any) -> None:
        tracked = self.by_id.get(key)
        if tracked is not None and tracked.optimizer is gone:
            del self.by_id[key]
            self.gone.append((tracked.id, tracked.windows.repeats, tracked.windows.alike))
            tracked.ledger = Ledger([])  # whoever still holds the tracked optimizer must not keep the parameters alive
            self.changed()

    def changed(self) -> None:
        self.version += 1
        self.all = list(self.by_id.values())
        self._owners = None

    def values(self) -> list[TrackedOptimizer]:
        return self.all

    def owners(self) -> dict[int, list[TrackedOptimizer]]:
        """Tracked optimizers by the identity of a parameter that they hold."""
        if self._owners is None:
            self._owners = {}
            for tracked in self.all:
                for key in tracked.ids:
                    self._owners.setdefault(key, []).append(tracked)
        return self._owners

    def holding(self, ids: Iterable[int]) -> list[TrackedOptimizer]:
        """Those that hold some of these parameters, in the order of their making."""
        owners = self.owners()
        found = {tracked.id: tracked for key in ids for tracked in owners.get(key, ())}
        return [found[number] for number in sorted(found)]

    def sharing(self, tracked: TrackedOptimizer) -> list[TrackedOptimizer]:
        """The other tracked optimizers that hold some of the same parameters."""
        if len(self.all) < 2:
            return []
        return [other for other in self.holding(tracked.ids) if other is not tracked]

    def mark_shared(self, tracked: TrackedOptimizer, step: tuple[int, int]) -> None:
        """Parameters that other optimizers hold too were used there as well."""
        for other in self.sharing(tracked):
            ledger = other.ledger
            ledger.use(step, [i for i, p in enumerate(ledger.params) if id(p) in tracked.ids and ledger.states[i]])

    def within_reach(self, thread_states: ThreadStates) -> list[TrackedOptimizer]:
        """The tracked optimizers that may be looked at: with several training threads, only our own.

        Reading `.grad` while another thread writes it can crash the process.
        """
        if len(thread_states) == 1:
            return self.all
        thread_state, thread = thread_states.here(), threading.get_ident()
        return [
            a for a in self.all if a.thread_state is thread_state or (a.thread_state is None and a.made_in == thread)
        ]


def _params(optimizer: Optimizer) -> list[Tensor]:
    groups: list[dict[str, Any]] = getattr(optimizer, "param_groups", [])
    return [p for group in groups for p in group["params"] if isinstance(p, Tensor)]
