"""For each parameter: which backwards are in `.grad`, and which steps have used it.

Nothing is attached to the user's tensors. Before and after every event that can change gradients the ledger looks
at identity and version of each `.grad`; what changed in between without an explanation is decided by its values.
"""

import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

KEPT_ORDINALS = 64  # sources remembered per parameter; more only occur when nothing is ever cleared
FULL_LOOKS = 8  # unexplained changes whose values are checked on every parameter, before a sample will do
SAMPLE = 4

State = tuple[int, int] | None  # identity and version of `.grad`


@dataclass(frozen=True, slots=True, eq=False)
class Provenance:
    """Where a gradient came from. Parameters that went through the same share one object."""

    sources: tuple[int, ...] = ()
    fresh: tuple[int, ...] = ()  # those sources that no step has used or attempted to use yet
    used_by: tuple[tuple[int, int], ...] = ()  # (step index, optimizer id)
    discarded: tuple[int, ...] = ()
    cleared_by: int | None = None
    by_hand: bool = False
    edited: bool = False

    def received(self, backward: int) -> "Provenance":
        sources, fresh = self.sources[-KEPT_ORDINALS:], self.fresh[-KEPT_ORDINALS:]
        return replace(self, sources=(*sources, backward), fresh=(*fresh, backward))

    def cleared(self, at: int | None) -> "Provenance":
        if not self.fresh:
            return Provenance(discarded=self.discarded, cleared_by=self.cleared_by)
        return Provenance(discarded=(*self.discarded[-KEPT_ORDINALS:], *self.fresh), cleared_by=at)

    def used(self, step: tuple[int, int] | None) -> "Provenance":
        used_by = self.used_by if step is None else (*self.used_by[:1], *self.used_by[1:][-KEPT_ORDINALS:], step)
        return Provenance(self.sources, used_by=used_by)

    def rewritten(self, *, replaced: bool) -> "Provenance":
        """Written to outside torch's own calls. In place and after a backward it is an edit: scaled, clamped."""
        if self.fresh and not replaced:
            return replace(self, edited=True)
        return replace(self, by_hand=True)


UNTOUCHED = Provenance()


@dataclass(frozen=True, slots=True)
class Clear:
    """A clearing call since the last look, and what it covered."""

    at: int
    covers: Callable[[Tensor], bool]
    to_none: bool


def _state(param: Tensor) -> State:
    grad = param.grad
    if grad is None:
        return None
    # A DTensor's own version does not move when its local shard is written to, nor that of the shard when it is.
    inner = getattr(grad, "_local_tensor", None)
    return (id(grad), grad._version if inner is None else grad._version + inner._version)


def _scan_plain(params: Sequence[Tensor]) -> list[State]:
    return [None if (g := p.grad) is None else (id(g), g._version) for p in params]


def _scan_any(params: Sequence[Tensor]) -> list[State]:
    return [_state(p) for p in params]


class Ledger:
    """The gradients of one optimizer's parameters, or of those that no optimizer holds."""

    def __init__(self, params: Sequence[Tensor]) -> None:
        self.params = list(params)
        self.provenances = [UNTOUCHED] * len(self.params)
        plain = all(type(p) is torch.nn.Parameter or type(p) is Tensor for p in self.params)
        self._scan = _scan_plain if plain else _scan_any
        self.states = self._scan(self.params)
        self._used: dict[int, weakref.ref[Tensor]] = {}  # gradients that steps have used: a new one may get their place
        self._num_unexplained = 0

    def add(self, params: Sequence[Tensor]) -> None:
        fresh = Ledger(params)
        self.params += fresh.params
        self.provenances += fresh.provenances
        self.states += fresh.states
        self._scan = _scan_any if _scan_any in (self._scan, fresh._scan) else _scan_plain

    def alive(self) -> list[Tensor]:
        """The parameters, in the order of `states` and `provenances`."""
        return self.params

    def look(self, clears: Sequence[Clear]) -> None:
        """Account for what happened outside backward since the last look."""
        states = self._scan(self.params)
        gone = {i for i, used in self._used.items() if used() is None and states[i] is not None}
        if gone or states != self.states or any(clear.to_none for clear in clears):
            self._account_for(states, clears, gone)
        self._look_behind_data()

    def _account_for(self, states: list[State], clears: Sequence[Clear], gone: set[int]) -> None:
        unexplained: dict[int, bool] = {}  # index to whether the tensor itself was replaced
        moved: dict[tuple[Provenance, int | None, bool], Provenance] = {}
        for i, (old, new) in enumerate(zip(self.states, states, strict=True)):
            clear = self._clear_of(i, clears) if old is not None else None
            refilled = new is not None and clear is not None and clear.to_none  # set to None, then written by hand
            if old == new and not refilled and i not in gone:
                continue
            self._used.pop(i, None)
            if new is None or clear is not None:
                key = (self.provenances[i], None if clear is None else clear.at, refilled)
                if key not in moved:
                    empty = key[0].cleared(key[1])
                    moved[key] = empty.rewritten(replaced=True) if refilled else empty
                self.provenances[i] = moved[key]
            else:
                unexplained[i] = old is None or old[0] != new[0] or i in gone
        self.states = states
        if unexplained:
            self._decide_by_value(unexplained)

    def _clear_of(self, i: int, clears: Sequence[Clear]) -> Clear | None:
        return next((clear for clear in clears if clear.covers(self.params[i])), None)

    def _decide_by_value(self, replaced: dict[int, bool]) -> None:
        self._num_unexplained += 1
        changed = looked_at = list(replaced)
        if self._num_unexplained > FULL_LOOKS:
            looked_at = sorted(changed, key=lambda i: self.params[i].numel())[:SAMPLE]
        zero = dict(zip(looked_at, _all_zero([self.params[i].grad for i in looked_at]), strict=True))
        usual = all(zero.values())
        moved: dict[tuple[Provenance, bool, bool], Provenance] = {}
        for i in changed:
            key = (self.provenances[i], zero.get(i, usual), replaced[i])
            if key not in moved:
                moved[key] = key[0].cleared(None) if key[1] else key[0].rewritten(replaced=key[2])
            self.provenances[i] = moved[key]

    def _look_behind_data(self) -> None:
        """`p.grad.data.zero_()` leaves no trace but zeros: before a gradient counts as stale, look at it."""
        suspects = {
            i: False
            for i, (state, p) in enumerate(zip(self.states, self.provenances, strict=True))
            if p.used_by and not p.fresh and state is not None
        }
        if suspects:
            before = list(self.provenances)
            self._decide_by_value(suspects)
            for i in suspects:
                if self.provenances[i].by_hand:  # nothing was written after all
                    self.provenances[i] = before[i]

    def settle(self) -> None:
        """Take the present state as explained: clipping and unscaling wrote to it."""
        self.states = self._scan(self.params)

    def assume(self, present: Provenance) -> None:
        """Nobody has looked for a while: this is where what lies there comes from."""
        self.settle()
        absent = present.cleared(None)
        self.provenances = [absent if state is None else present for state in self.states]
        self._used = {}
        self._remember(range(len(self.params)))

    def _remember(self, which: Iterable[int]) -> None:
        """The tensors themselves: one that is gone leaves its identity to the next."""
        params, ref = self.params, weakref.ref
        self._used.update({i: ref(grad) for i in which if (grad := params[i].grad) is not None})

    def receive(self, backward: int) -> int:
        """Account for a backward that just ended; how many parameters it reached."""
        states = self._scan(self.params)
        num_reached = 0
        moved: dict[Provenance, Provenance] = {}
        gone: dict[Provenance, Provenance] = {}
        provenances = self.provenances
        for i, (old, new) in enumerate(zip(self.states, states, strict=True)):
            if old == new:
                continue
            before = provenances[i]
            if new is None:  # an optimizer that steps inside backward cleared it
                if before not in gone:
                    gone[before] = before.cleared(None)
                provenances[i] = gone[before]
                continue
            num_reached += 1
            if before not in moved:
                moved[before] = before.received(backward)
            provenances[i] = moved[before]
        self.states = states
        self._remember(list(self._used))  # it may have put sums in their places
        return num_reached

    def use(self, step: tuple[int, int] | None, which: Sequence[int] | None = None) -> None:
        """A step uses what lies there; `None` for one that a scaler skipped."""
        moved: dict[Provenance, Provenance] = {}
        which = range(len(self.params)) if which is None else which
        self._remember(which)
        for i in which:
            before = self.provenances[i]
            if self.states[i] is None:
                self.provenances[i] = UNTOUCHED
                continue
            if before not in moved:
                moved[before] = before.used(step)
            self.provenances[i] = moved[before]

    def groups(self) -> dict[tuple[Provenance, bool], list[int]]:
        """Indices of parameters by provenance and presence."""
        groups: dict[tuple[Provenance, bool], list[int]] = {}
        for i, (state, provenance) in enumerate(zip(self.states, self.provenances, strict=True)):
            groups.setdefault((provenance, state is not None), []).append(i)
        return groups


def _all_zero(grads: Sequence[Any]) -> list[bool]:
    with torch.no_grad():
        return [not bool((g.coalesce().values() if g.is_sparse else g).count_nonzero()) for g in grads]
