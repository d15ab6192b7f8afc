"""Optimizers that are saved without a state, though another one of their kind has trained their parameters."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch.optim import Optimizer

from surefoot.facts import Site, UntrainedSavedFacts
from surefoot.watch.saved.loaded_file import is_optimizer_state

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

KEPT = 32
DEPTH = 4  # of containers in what is saved


@dataclass(slots=True)
class Trainer:
    """An optimizer that has stepped and keeps a state; it may be gone when another one is saved."""

    number: int
    kind: type
    site: Site | None
    params: dict[int, weakref.ref[Tensor]]

    def holds(self, param: Tensor) -> bool:
        ref = self.params.get(id(param))
        return ref is not None and ref() is param


class UntrainedOptimizers:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._trainers: deque[Trainer] = deque(maxlen=KEPT)
        self._empty: deque[tuple[Mapping[str, Any], weakref.ref[Optimizer]]] = deque(maxlen=KEPT)
        self._saved: dict[int, UntrainedSavedFacts] = {}  # by number of the optimizer
        self._trained_by: dict[int, int] = {}
        self._old: dict[int, UntrainedSavedFacts] = {}

    def steps(self, optimizer: Optimizer, tracked: TrackedOptimizer) -> None:
        """It takes its second step: the first one has left a state, or none is kept."""
        if optimizer.state:
            params = {id(param): weakref.ref(param) for param in tracked.ledger.params}
            self._trainers.append(Trainer(tracked.id, type(optimizer), tracked.site, params))

    def taken(self, optimizer: Optimizer, state: Any) -> None:
        """Its `state_dict()` was asked for. One that is empty takes no memory."""
        if is_optimizer_state(state) and not state["state"]:
            self._empty.append((state, weakref.ref(optimizer)))

    def saves(self, saved: Any, site: Site | None) -> None:
        states = list(_states_in(saved, DEPTH)) if self._trainers else []
        if any(state["state"] for state in states):
            self._old = {}  # this time it is as it should be
            return  # the one that trains is saved, too
        for state in states:
            optimizer = next((ref() for known, ref in self._empty if known is state), None)
            if optimizer is not None and not optimizer.state:
                self._note(optimizer, site)
            else:
                self._note_old(state, optimizer, site)

    def _note_old(self, state: Mapping[str, Any], optimizer: Optimizer | None, site: Site | None) -> None:
        """A state without entries, as it is before the first step, of an optimizer that has some now."""
        sizes = [len(group["params"]) for group in state["param_groups"]]
        stepped = [
            (tracked, one)
            for tracked in self._recorder.optimizers.values()
            if (one := tracked.optimizer()) is not None
            and optimizer in (None, one)
            and one.state
            and [len(group["params"]) for group in one.param_groups] == sizes
        ]
        if len(stepped) == 1:  # else a copy does not tell whose it is
            tracked, one = stepped[0]
            self._old[tracked.id] = UntrainedSavedFacts(
                type(one).__name__, tracked.site, site, tracked.site, sum(sizes), tracked.num_updates, is_old=True
            )

    def _note(self, optimizer: Optimizer, site: Site | None) -> None:
        tracked = self._recorder.tracked(optimizer)
        params = [param for param in tracked.ledger.params if param.requires_grad]
        trainer = next(
            (t for t in reversed(self._trainers) if t.kind is type(optimizer) and params and all(map(t.holds, params))),
            None,
        )
        if trainer is not None and trainer.number != tracked.id:
            facts = UntrainedSavedFacts(type(optimizer).__name__, tracked.site, site, trainer.site, len(params))
            self._saved.setdefault(tracked.id, facts)
            self._trained_by.setdefault(tracked.id, trainer.number)

    def facts(self) -> tuple[UntrainedSavedFacts, ...]:
        """Those that have never stepped in the whole run, and what was old when it was last saved."""
        updates = self._recorder.updates
        never_stepped = tuple(
            replace(facts, num_steps=updates.get(self._trained_by[number], 0))
            for number, facts in self._saved.items()
            if not updates.get(number)
        )
        return (*never_stepped, *self._old.values())


def _states_in(value: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    if is_optimizer_state(value):
        yield value
    elif depth and isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            if isinstance(one, Mapping | list | tuple):
                yield from _states_in(one, depth - 1)
