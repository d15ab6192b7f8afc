"""Find NaN and Inf in gradients before they reach the weights.

Free signs come first: a loss or a total norm that is not finite. Without one all gradients are checked in armed
windows; what slips through is found in the weights at the end.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch.optim import Optimizer

from surefoot.facts import BirthFacts, NonFiniteFacts
from surefoot.watch.finite.finiteness import all_finite, is_finite, plain
from surefoot.watch.finite.origin.origin_probe import OriginProbe
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer


@dataclass(slots=True)
class Check:
    """What is kept about one optimizer."""

    bad_from_start: frozenset[int]  # weights that were not finite before the first step: masks
    finite_at: int = 0  # index of the last step whose gradients were seen to be finite
    checked_at: int = 0  # number of its last step whose gradients were checked
    warned_at: int = 0  # number of backwards at the last sign that it has followed
    before_clip: NonFiniteFacts | None = None
    doubt: NonFiniteFacts | None = None  # until the step ends
    applied: NonFiniteFacts | None = None  # until it is recorded
    watcher: Any = field(default=None)


class FiniteProbe(Probe):
    name = "finite"

    def __init__(self, origins: OriginProbe) -> None:
        self._births = origins
        self._checks: dict[int, Check] = {}
        self._sign_at = 0  # number of backwards when a loss or a norm was last seen not to be finite
        self._is_loss_bad = False  # that of the last backward
        self._found: NonFiniteFacts | None = None
        self._ended: list[NonFiniteFacts] = []
        self._dead: list[TrackedOptimizer] = []  # optimizers that died while our own code was running

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def backward_ends(self, backward: Backward) -> None:
        self._is_loss_bad = backward.value is not None and not math.isfinite(backward.value)
        if self._is_loss_bad:
            self._sign_at = backward.ordinal

    def norm_is_bad(self, ids: frozenset[int]) -> None:
        """A clip of these parameters is about to spread NaN to all of them: find the culprit while it can be told."""
        self._sign_at = self._recorder.num_backwards
        for tracked in self._recorder.optimizers.values():
            if not ids.isdisjoint(tracked.ids):
                check = self._check(tracked)
                check.before_clip = self._examine(tracked, check, _gradient)

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        self._found = None
        while self._dead:
            self._end(self._dead.pop())
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None:
            return False
        check = self._check(tracked)
        if check.applied is not None:
            self._found, check.applied = check.applied, None
        elif not _searches(optimizer):
            signed = check.warned_at < self._sign_at
            # A scaler has checked the gradients itself, but clipping may have spread NaN since.
            if signed or self._recorder.by_scaler is None:
                self._look(tracked, check, optimizer)
        check.before_clip, check.warned_at = None, self._sign_at
        return self._found is not None

    def _look(self, tracked: TrackedOptimizer, check: Check, optimizer: Optimizer) -> None:
        check.checked_at = tracked.num_updates
        if all_finite([g for p in tracked.ledger.params if (g := _gradient(p)) is not None]):
            check.finite_at = self._recorder.num_steps
            return
        found = self._examine(tracked, check, _gradient)
        if found is not None and check.before_clip is not None:
            found = check.before_clip
        if _is_builtin(optimizer):
            self._found = found
        else:  # it may guard itself against such gradients
            check.doubt = found

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        return {} if self._found is None else {"non_finite": self._found}

    def step_ends(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        check = None if tracked is None else self._checks.get(tracked.id)
        if tracked is None or check is None or check.doubt is None:
            return
        if self._examine(tracked, check, _weight) is not None:
            check.applied = replace(check.doubt, step=self._recorder.num_steps)
        check.doubt = None

    def end_facts(self) -> dict[str, Any]:
        for tracked in (*self._dead, *self._recorder.optimizers.values()):
            self._end(tracked)
        return {"non_finite": tuple(self._ended)}

    # --- one optimizer

    def _check(self, tracked: TrackedOptimizer) -> Check:
        check = self._checks.get(tracked.id)
        if check is None:
            weights = [_weight(p) for p in tracked.ledger.params]
            bad = () if all_finite(weights) else (i for i, w in enumerate(weights) if not is_finite(w))
            check = Check(frozenset(bad))
            optimizer = tracked.optimizer()
            if optimizer is not None:
                check.watcher = weakref.ref(optimizer, lambda _: self._dies(tracked))
            self._checks[tracked.id] = check
        return check

    def _dies(self, tracked: TrackedOptimizer) -> None:
        if self._recorder.tap.is_busy:
            self._dead.append(tracked)
        else:
            self._recorder.tap.run("finite", self._end, tracked)

    def _end(self, tracked: TrackedOptimizer) -> None:
        """The run or the optimizer's life ends: has it updated with gradients that were not checked?"""
        check = self._checks.pop(tracked.id, None)
        if check is None or (check.checked_at == tracked.num_updates and check.applied is None):
            return
        found = check.applied or self._examine(tracked, check, _weight)
        if found is not None:
            self._ended.append(found)

    def _examine(
        self, tracked: TrackedOptimizer, check: Check, part: Callable[[Tensor], Tensor | None]
    ) -> NonFiniteFacts | None:
        names = self._recorder.names
        without = check.bad_from_start if part is _weight else ()
        params = tracked.ledger.params
        first_bad = last_good = None
        num_bad = num_checked = 0
        for i in reversed(range(len(params))):
            value = None if i in without else part(params[i])
            if value is None:
                continue
            num_checked += 1
            if not is_finite(value):
                num_bad += 1
                first_bad = i if first_bad is None else first_bad
            elif first_bad is None:
                last_good = i
        if first_bad is None:
            return None
        value = part(params[first_bad])
        assert value is not None
        return NonFiniteFacts(
            where="weights" if part is _weight else "gradients",
            optimizer=tracked.id,
            num_bad=num_bad,
            num_checked=num_checked,
            first_bad=names.of(params[first_bad]),
            last_good="" if last_good is None else names.of(params[last_good]),
            has_nan=bool(value.isnan().any()),
            has_inf=bool(value.isinf().any()),
            finite_at=check.finite_at,
            birth=self._birth(tracked) if part is _gradient else None,
        )

    def _birth(self, tracked: TrackedOptimizer) -> BirthFacts | None:
        if self._sign_at == self._recorder.num_backwards and self._is_loss_bad:
            return None  # told of the loss
        if not tracked.ledger.ordinals() <= {self._recorder.num_backwards}:
            return None  # the graph of another backward may have made it, and is gone
        found: BirthFacts | None = self._recorder.tap.attempt(self._births.name, self._births.of_gradients, _is_bad)
        return found


def _gradient(param: Tensor) -> Tensor | None:
    grad = param.grad
    return None if grad is None else plain(grad)


def _is_bad(param: Tensor) -> bool | None:
    grad = _gradient(param)
    return None if grad is None else not is_finite(grad)


def _weight(param: Tensor) -> Tensor:
    return plain(param)


def _is_builtin(optimizer: Optimizer) -> bool:
    hooks = getattr(optimizer, "_optimizer_step_pre_hooks", None)  # they run after us and may mend gradients
    return type(optimizer).step.__module__.startswith("torch.optim") and not hooks


def _searches(optimizer: Optimizer) -> bool:
    """A line search tries points that may lie far out, and comes back from them."""
    return "LBFGS" in type(optimizer).__name__.upper()
