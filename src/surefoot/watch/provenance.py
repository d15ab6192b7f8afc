"""For each parameter: which backwards are in `.grad`, and which steps have used it.

Nothing is attached to the user's tensors. Before and after every event that can change gradients the ledger scans
identity and version of each `.grad`; what changed in between without an explanation is decided by its values.

Parameters that went through the same are one *class*: in a steady loop an event costs one scan and a step a class,
however many parameters there are. Only when parameters of a class part ways are they looked at one by one.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Sequence
from operator import attrgetter, ne
from typing import Any, NamedTuple

import torch
from torch import Tensor

KEPT_ORDINALS = 64  # sources remembered per parameter; more only occur when nothing is ever cleared
FULL_LOOKS = 8  # unexplained changes whose values are checked on every parameter, before a sample will do
SAMPLE = 4
MANY_CLASSES = 32  # after which those that are alike are put together again

State = tuple[int, int] | None  # identity and version of `.grad`
_GRAD, _VERSION, NONE = attrgetter("grad"), attrgetter("_version"), id(None)


class Provenance(NamedTuple):
    """Where a gradient came from."""

    sources: tuple[int, ...] = ()
    fresh: tuple[int, ...] = ()  # those sources that no step has used or attempted to use yet
    used_by: tuple[tuple[int, int], ...] = ()  # (step index, optimizer id)
    discarded: tuple[int, ...] = ()
    cleared_by: int | None = None
    by_hand: bool = False
    edited: bool = False

    def received(self, backward: int) -> Provenance:
        sources, fresh, *others = self
        return _new(Provenance, ((*sources[-KEPT_ORDINALS:], backward), (*fresh[-KEPT_ORDINALS:], backward), *others))

    def cleared(self, at: int | None) -> Provenance:
        discarded = self.discarded
        if self.fresh:
            return _new(Provenance, ((), (), (), (*discarded[-KEPT_ORDINALS:], *self.fresh), at, False, False))
        if not discarded and self.cleared_by is None:
            return UNTOUCHED
        return _new(Provenance, ((), (), (), discarded, self.cleared_by, False, False))

    def used(self, step: tuple[int, int] | None) -> Provenance:
        used_by = self.used_by if step is None else (*self.used_by[:1], *self.used_by[1:][-KEPT_ORDINALS:], step)
        return _new(Provenance, (self.sources, (), used_by, (), None, False, False))

    def rewritten(self, *, replaced: bool) -> Provenance:
        """Written to outside torch's own calls. In place and after a backward it is an edit: scaled, clamped."""
        if self.fresh and not replaced:
            return self._replace(edited=True)
        return self._replace(by_hand=True)


_new = tuple.__new__  # of a named tuple: several times as fast as its own way
UNTOUCHED = Provenance()
UNKNOWN = Provenance(by_hand=True)  # as if the program had written it itself


class Clear(NamedTuple):
    """A clearing call since the last look, and what it covered."""

    at: int
    covers: Callable[[Tensor], bool] | None  # None: every parameter of the ledger
    to_none: bool


def _state(param: Tensor) -> State:
    grad = param.grad
    if grad is None:
        return None
    # A DTensor's own version does not move when its local shard is written to, nor that of the shard when it is.
    inner = getattr(grad, "_local_tensor", None)
    return (id(grad), grad._version if inner is None else grad._version + inner._version)


class Ledger:
    """The gradients of one optimizer's parameters, or of those that no optimizer holds."""

    def __init__(self, params: Sequence[Tensor]) -> None:
        self.params = list(params)
        self.is_plain = all(type(p) is torch.nn.Parameter or type(p) is Tensor for p in self.params)
        # Those of torch.distributed are left alone: without its own operations a DTensor has no values.
        self.has_subclasses = not self.is_plain and not any(hasattr(p, "_local_tensor") for p in self.params)
        self.states = self.scan()
        self.cleared: bool | None = None  # to None or to zero, by a call that was observed since the last look
        self.used: list[weakref.ref[Tensor]] = []  # gradients of the last step: a new one may get their identity
        self.num_unexplained = 0
        self.looks_left = FULL_LOOKS  # at used gradients that may have been cleared without a trace
        self.num_used = 0  # backwards whose gradients the last step used
        self._class_of: list[int] = []
        self._first: list[int] = []  # a parameter of each class, which stands for all
        self._sizes: list[int] = []
        self.distinct: list[Provenance] = []  # by class, those that some parameter has
        # Which parameters the last backward changed, and the last look: while that is so again, classes stay together.
        self._received: list[bool] | None = None
        self._looked: list[bool] | None = None
        self.assign([UNTOUCHED] * len(self.params))

    def scan(self) -> list[State]:
        if not self.is_plain:
            with torch._C.DisableTorchFunction():  # a subclass would see what we ask it
                return [_state(p) for p in self.params]
        grads = list(map(_GRAD, self.params))
        ids = list(map(id, grads))
        num_none = ids.count(NONE)
        if not num_none:
            return list(zip(ids, map(_VERSION, grads), strict=True))
        if num_none == len(ids):
            return [None] * num_none
        return [None if g is None else (id(g), g._version) for g in grads]

    def references(self) -> list[weakref.ref[Tensor]]:
        grads = list(map(_GRAD, self.params))
        if NONE in map(id, grads):
            grads = [grad for grad in grads if grad is not None]
        return list(map(weakref.ref, grads))

    # --- classes

    def assign(self, provenances: Sequence[Provenance]) -> None:
        """Say of each parameter where its gradient comes from.

        Classes that have parted ways once stay apart: what happens in one window happens in the next.
        """
        before = self._class_of if len(self._first) < MANY_CLASSES else []
        if len(before) != len(provenances):
            before = [0] * len(provenances)
        numbers: dict[tuple[int, Provenance, bool], int] = {}
        class_of = [
            numbers.setdefault((number, p, s is not None), len(numbers))
            for number, p, s in zip(before, provenances, self.states, strict=True)
        ]
        if class_of != self._class_of:
            self._class_of = class_of
            self._first = [class_of.index(number) for number in range(len(numbers))]
            self._sizes = [class_of.count(number) for number in range(len(numbers))]
            self._received = self._looked = None
        self.distinct = [provenances[i] for i in self._first]

    @property
    def provenances(self) -> list[Provenance]:
        """Of each parameter."""
        known = self.distinct
        return [known[number] for number in self._class_of]

    def story(self) -> Hashable:
        """Equal for steps whose gradients went through the same, whatever the ordinals."""
        sizes: dict[Hashable, int] = {}
        for p, first, size in zip(self.distinct, self._first, self._sizes, strict=True):
            sources, fresh, used_by, discarded, _, by_hand, edited = p
            key = (
                self.states[first] is not None, len(fresh), len(sources) > len(fresh), len(used_by) > 0,
                len(discarded), by_hand, edited,
            )  # fmt: skip
            sizes[key] = sizes.get(key, 0) + size
        return tuple(sizes.items())

    def ordinals(self) -> set[int]:
        """The backwards whose loss the next step is of."""
        found: set[int] = set()
        for p in self.distinct:
            found.update(p.fresh)
        if not found:  # cleared before the step: it is the loss of this step all the same
            for p in self.distinct:
                found.update(p.discarded)
        return found

    def context(self, last: int) -> Hashable:
        """Equal where all that may come has the same story; backwards are counted back from the last one."""
        known = [
            (
                self.states[i] is not None, len(p.sources), tuple([last - ordinal for ordinal in p.fresh]),
                len(p.used_by), tuple([last - ordinal for ordinal in p.discarded]), p.cleared_by is None, p.by_hand,
                p.edited,
            )
            for p, i in zip(self.distinct, self._first, strict=True)
        ]  # fmt: skip
        return (tuple(self._class_of), *known)

    def present(self) -> list[tuple[Provenance, int]]:
        """Provenances of gradients that are there, each with the number of parameters that have it."""
        classes = zip(self.distinct, self._sizes, self._first, strict=True)
        return [(p, size) for p, size, first in classes if self.states[first] is not None]

    def groups(self) -> dict[tuple[Provenance, bool], list[int]]:
        """Indices of parameters by provenance and presence."""
        groups: dict[tuple[Provenance, bool], list[int]] = {}
        for i, (state, number) in enumerate(zip(self.states, self._class_of, strict=True)):
            groups.setdefault((self.distinct[number], state is not None), []).append(i)
        return groups

    def add(self, params: Sequence[Tensor]) -> None:
        fresh, before = Ledger(params), self.provenances
        self.params += fresh.params
        self.states += fresh.states
        self.is_plain = self.is_plain and fresh.is_plain
        self.assign([*before, *fresh.provenances])

    def alive(self) -> list[Tensor]:
        """The parameters, in the order of `states` and `provenances`."""
        return self.params

    # --- looking

    def look(self, clears: Sequence[Clear] = (), states: list[State] | None = None) -> None:
        """Account for what happened outside backward since the last look.

        `states` are those of an earlier moment, at which no value was needed to tell what had happened.
        """
        if states is not None:
            if len(states) == len(self.params):
                self._look(clears, states, are_sure=True)
            return
        self._look(clears, self.scan(), are_sure=False)
        if self.looks_left:
            for p in self.distinct:
                if p.used_by and not p.fresh:
                    self._look_behind_data()
                    break

    def _look(self, clears: Sequence[Clear], states: list[State], *, are_sure: bool) -> None:
        if states != self.states:
            changed = list(map(ne, self.states, states))
            if changed == self._looked and not any(states):  # all that was there was set to None, as before
                self.states, self.used = states, []
                for number, i in enumerate(self._first):
                    if changed[i]:
                        own = bool(clears) and clears[0].covers is None
                        at = clears[0].at if own else self._cleared_at(i, clears)
                        self.distinct[number] = self.distinct[number].cleared(at)
                return
            self._account_for(states, clears, changed, () if are_sure else self.used)
        elif (not are_sure and self.used and None in [ref() for ref in self.used]) or (
            clears and True in [clear.to_none for clear in clears]
        ):
            self._account_for(states, clears, list(map(ne, self.states, states)), () if are_sure else self.used)

    def _account_for(
        self, states: list[State], clears: Sequence[Clear], changed: list[bool],
        used: Sequence[weakref.ref[Tensor]],
    ) -> None:  # fmt: skip
        self.used = []
        present = [i for i, state in enumerate(self.states) if state is not None]
        gone = {i for i, ref in zip(present, used, strict=False) if ref() is None}
        self._account_one_by_one(states, clears, gone)
        self._looked = changed

    def _cleared_at(self, i: int, clears: Sequence[Clear]) -> int | None:
        clear = self._clear_of(i, clears)
        return None if clear is None else clear.at

    def _clear_of(self, i: int, clears: Sequence[Clear]) -> Clear | None:
        for clear in clears:
            if clear.covers is None or clear.covers(self.params[i]):
                return clear
        return None

    def _account_one_by_one(self, states: list[State], clears: Sequence[Clear], gone: set[int]) -> None:
        unexplained: dict[int, bool] = {}  # index to whether the tensor itself was replaced
        moved: dict[tuple[Provenance, int | None, bool], Provenance] = {}
        provenances = self.provenances
        for i, (old, new) in enumerate(zip(self.states, states, strict=True)):
            clear = self._clear_of(i, clears) if old is not None else None
            refilled = new is not None and clear is not None and clear.to_none  # set to None, then written by hand
            if old == new and not refilled and not (i in gone and new is not None):
                continue
            if new is None or clear is not None:
                key = (provenances[i], None if clear is None else clear.at, refilled)
                if key not in moved:
                    empty = key[0].cleared(key[1])
                    moved[key] = empty.rewritten(replaced=True) if refilled else empty
                provenances[i] = moved[key]
            else:
                unexplained[i] = old is None or old[0] != new[0] or i in gone
        self.states = states
        if unexplained:
            self._decide_by_value(provenances, unexplained)
        self.assign(provenances)

    def _decide_by_value(self, provenances: list[Provenance], replaced: dict[int, bool]) -> None:
        self.num_unexplained += 1
        changed = looked_at = list(replaced)
        if self.num_unexplained > FULL_LOOKS:
            looked_at = sorted(changed, key=lambda i: self.params[i].numel())[:SAMPLE]
        zero = dict(zip(looked_at, _all_zero([self.params[i].grad for i in looked_at]), strict=True))
        usual = all(zero.values())
        moved: dict[tuple[Provenance, bool, bool], Provenance] = {}
        for i in changed:
            key = (provenances[i], zero.get(i, usual), replaced[i])
            if key not in moved:
                moved[key] = key[0].cleared(None) if key[1] else key[0].rewritten(replaced=key[2])
            provenances[i] = moved[key]

    def _look_behind_data(self) -> None:
        """`p.grad.data.zero_()` leaves no trace but zeros: before a gradient counts as stale, look at it.

        Where optimizers take turns, used gradients lie there in every window: a program that does not clear them in
        this way is not asked for ever.
        """
        before = self.provenances
        suspects = {
            i: False
            for i, (state, p) in enumerate(zip(self.states, before, strict=True))
            if p.used_by and not p.fresh and state is not None
        }
        if not suspects:
            return
        provenances = list(before)
        self._decide_by_value(provenances, suspects)
        for i in suspects:
            if provenances[i].by_hand:  # nothing was written after all
                provenances[i] = before[i]
        if any(a is not b for a, b in zip(before, provenances, strict=True)):
            self.looks_left = FULL_LOOKS
            self.assign(provenances)
        else:
            self.looks_left -= 1

    def settle(self, states: list[State] | None = None) -> None:
        """Take the present state as explained: clipping and unscaling wrote to it.

        `states` are those of then; parameters that have come since have made them useless.
        """
        self.states = self.scan() if states is None or len(states) != len(self.params) else states

    # --- events

    def receive(
        self, backward: int, states: list[State] | None = None, used: list[weakref.ref[Tensor]] | None = None
    ) -> int:
        """Account for a backward that just ended; how many parameters it reached."""
        if states is None:
            states = self.scan()
        elif len(states) != len(self.params):
            return 0
        changed = list(map(ne, self.states, states))
        if self.used and used is None:  # it may have put sums in their places, of the same identity
            present = [i for i, state in enumerate(self.states) if state is not None]
            for i in [i for i, ref in zip(present, self.used, strict=False) if ref() is None]:
                changed[i] = True
        num_reached = changed.count(True)
        if not num_reached:
            return 0
        if self.used:
            self.used = self.references() if used is None else used
        if changed != self._received:
            return self._receive_one_by_one(backward, states, changed)
        for i in self._first:
            if changed[i] and states[i] is None:  # an optimizer that steps inside backward cleared it
                return self._receive_one_by_one(backward, states, changed)
        self.states = states
        for number, i in enumerate(self._first):
            if changed[i]:
                self.distinct[number] = self.distinct[number].received(backward)
        return num_reached

    def _receive_one_by_one(self, backward: int, states: list[State], changed: list[bool]) -> int:
        num_reached = 0
        moved: dict[tuple[Provenance, bool], Provenance] = {}
        provenances = self.provenances
        for i, new in enumerate(states):
            if not changed[i]:
                continue
            key = (provenances[i], new is None)
            num_reached += new is not None
            if key not in moved:  # an optimizer that steps inside backward clears what it has used
                moved[key] = key[0].cleared(None) if new is None else key[0].received(backward)
            provenances[i] = moved[key]
        self.states = states
        self.assign(provenances)
        self._received = changed
        return num_reached

    def use(
        self, step: tuple[int, int] | None, which: Sequence[int] | None = None,
        references: list[weakref.ref[Tensor]] | None = None,
    ) -> None:  # fmt: skip
        """A step uses what lies there; `None` for one that a scaler skipped."""
        if which is None:
            self.num_used = 0
            for number, i in enumerate(self._first):
                before = self.distinct[number]
                self.num_used = max(self.num_used, len(before.fresh))
                self.distinct[number] = UNTOUCHED if self.states[i] is None else before.used(step)
        else:
            provenances = self.provenances
            for i in which:
                provenances[i] = UNTOUCHED if self.states[i] is None else provenances[i].used(step)
            self.assign(provenances)
        self.used = self.references() if references is None else references


def _all_zero(grads: Sequence[Any]) -> list[bool]:
    with torch.no_grad():
        return [_is_zero(g) for g in grads]


def _is_zero(grad: Any) -> bool:
    part = getattr(grad, "_local_tensor", grad)
    if part.is_meta or part.is_nested or (part.numel() and not part.is_sparse and _is_freed(part)):
        return False  # it has no values
    return not bool((part.coalesce().values() if part.is_sparse else part).count_nonzero())


def _is_freed(part: Tensor) -> bool:
    return part.layout is torch.strided and part.untyped_storage().nbytes() == 0
