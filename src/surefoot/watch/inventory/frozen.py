"""Does a step move parameters that are frozen? Looked at around the update, where it can happen at all."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from surefoot.watch.inventory.parameter_mark import sample
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from torch import Tensor
    from torch.optim import Optimizer

    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

FIRST_LOOKS = 4  # steps of an optimizer before which its parameters are asked; then the 8th, 16th, 32nd, …
MAX_CHECKS = 16  # steps of an optimizer around which frozen parameters are compared
MAX_PARAMS = 16


class FrozenProbe(Probe):
    name = "frozen"

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._reached: dict[int, Any] = {}  # by line, what its backwards reach
        self._looked = 0  # changes of what is reached
        self._state: dict[int, _State] = {}
        self._looking = False  # values were noted before a step that has not ended

    def backward_ends(self, backward: Backward) -> None:
        key = id(backward.site)
        if self._reached.get(key) != backward.reached:  # somebody froze or thawed something, perhaps
            self._reached[key] = backward.reached
            self._looked += 1

    def step_begins(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        assert tracked is not None, "a step makes the tracked optimizer"
        state = self._state.get(tracked.id)
        if state is None:
            state = self._state[tracked.id] = _State()
        num = tracked.num_updates
        if num <= FIRST_LOOKS or num & (num - 1) == 0 or state.looked != self._looked:
            state.looked = self._looked
            state.frozen = [weakref.ref(param) for param in _frozen(tracked)][:MAX_PARAMS]
        if state.frozen and state.num_checks < MAX_CHECKS:
            state.num_checks += 1
            self._looking = True
            state.before = [(ref, sample(param)) for ref in state.frozen if (param := ref()) is not None]

    def step_ends(self, optimizer: Optimizer) -> None:
        if not self._looking:
            return
        tracked = self._recorder.optimizers.get(optimizer)
        state = None if tracked is None else self._state.get(tracked.id)
        if state is None or not state.before:
            return
        self._looking = False
        moved = [param for ref, old in state.before if (param := ref()) is not None and sample(param) != old]
        state.before = []
        if moved:
            state.moved = tuple(self._recorder.names.of(param) for param in moved)
            self._recorder.record_due = True

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        tracked = self._recorder.optimizers.get(optimizer)
        state = None if tracked is None else self._state.get(tracked.id)
        if state is None or not state.moved:
            return {}
        moved, state.moved = state.moved, ()
        return {"frozen_moved": moved}


class _State:
    """What is known of the frozen parameters of one optimizer."""

    __slots__ = ("before", "frozen", "looked", "moved", "num_checks")

    def __init__(self) -> None:
        self.looked = -1
        self.num_checks = 0
        self.frozen: list[weakref.ref[Tensor]] = []
        self.before: list[tuple[weakref.ref[Tensor], str]] = []
        self.moved: tuple[str, ...] = ()


def _frozen(tracked: TrackedOptimizer) -> list[Tensor]:
    """Frozen parameters; not those whose gradient came while they were still free."""
    ledger = tracked.ledger
    fresh = [bool(p.fresh) for p in ledger.provenances]
    return [param for param, new in zip(ledger.params, fresh, strict=True) if not param.requires_grad and not new]
