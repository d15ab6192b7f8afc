"""Watch for gradients that are exactly 0 from the first step on, and look for the reason in the graph.

The gradients of all parameters are looked at before an optimizer's first step; later only those that were 0 so far.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.optim import Optimizer

from surefoot.facts import Site, ZeroGradientFacts
from surefoot.watch.build_facts import NAMED
from surefoot.watch.graph.closed import ClosedPair, closed_pairs
from surefoot.watch.graph.compiling import has_compiled
from surefoot.watch.graph.direction import IdleDirection, idle_directions
from surefoot.watch.graph.gradient_end import GradientEnd, behind_steps
from surefoot.watch.graph.single import SOFTMAXES, SoftmaxCalls
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

SEARCHES = 2  # of the graphs of an optimizer's losses for the reason


class State:
    """What is known of one optimizer."""

    def __init__(self) -> None:
        self.num_looked = 0
        self.zero: list[weakref.ref[Tensor]] = []  # parameters whose gradient was 0 whenever looked at
        self.every = True  # so were those of all others
        self.num_searches = 0
        self.ended_in = ""
        self.stepwise: dict[str, list[str]] = {}  # by operation, parameters that only it stands before
        self.softmax_site: Site | None = None  # of one over a single score
        self.closed: list[tuple[weakref.ref[Tensor], weakref.ref[Tensor]]] = []  # layers of zeros behind each other

    def alive(self) -> list[Tensor]:
        return [param for ref in self.zero if (param := ref()) is not None]

    def still_closed(self) -> list[ClosedPair]:
        zero = {id(param) for param in self.alive()}
        pairs = [(first(), second()) for first, second in self.closed]
        return [
            ClosedPair(first, second)
            for first, second in pairs
            if first is not None and second is not None and {id(first), id(second)} <= zero
        ]


class ZeroGradientProbe(Probe):
    name = "zeros"

    def __init__(self) -> None:
        self._states: dict[int, State] = {}  # by optimizer
        self._end: tuple[State, GradientEnd] | None = None
        self._softmax: tuple[State, SoftmaxCalls] | None = None
        self._wanted: set[int] = set()  # identities of layers whose call is looked for
        self._calls: dict[int, Site | None] = {}

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._may_listen = not has_compiled()  # compiled code must not meet what replaces torch's own
        for owner in (torch, Module):
            recorder.tap.listen(owner, "compile", self.name, before=self._compiles)

    def _compiles(self, args: Any, kwargs: Any) -> None:
        self._may_listen = False
        self._leave()
        self._leave_softmax()

    # --- which gradients are 0

    def step_begins(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None:
            return
        state = self._states.get(tracked.id)
        if state is None:
            state = self._states[tracked.id] = State()
            self._look(state, [p for p in tracked.ledger.params if p.grad is not None])
        elif state.zero and state.num_looked == tracked.num_updates - 1:
            self._look(state, state.alive())
            zero = {id(ref()) for ref in state.zero}
            state.every = state.every and all(p.grad is None or id(p) in zero for p in tracked.ledger.params)
        else:  # steps were not looked at
            state.zero, state.every = [], False
        if state.every:
            state.every = self._is_zero_elsewhere(tracked)

    def _look(self, state: State, params: Sequence[Tensor]) -> None:
        state.num_looked += 1
        zero = _zero(params)
        state.every = state.every and bool(zero) and len(zero) == len(params)
        state.zero = [weakref.ref(param) for param in zero]

    def _is_zero_elsewhere(self, tracked: TrackedOptimizer) -> bool:
        """Whether no other parameter has a gradient: a loss may be meant for several optimizers."""
        others = [p for a in self._recorder.optimizers.values() if a is not tracked for p in a.ledger.params]
        left = [
            p for p in [*others, *self._recorder.unowned.alive()] if p.grad is not None and id(p) not in tracked.ids
        ]
        return len(_zero(left)) == len(left)

    # --- why

    def backward_begins(self, backward: Backward) -> None:
        self._end = None
        for tracked in self._recorder.optimizers.values():
            state = self._states.get(tracked.id)
            if state is None or not state.zero or state.num_searches >= SEARCHES:
                continue
            state.num_searches += 1
            wanted = {id(param): param for param in state.alive()}
            for operation, params in behind_steps(backward.roots, wanted).items():
                state.stepwise[operation] = [self._recorder.names.of(param) for param in params]
                if operation in SOFTMAXES.values() and self._may_listen and self._softmax is None:
                    self._softmax = (state, SoftmaxCalls(self._recorder, self.name))
            pairs = closed_pairs(backward.roots, wanted.values())
            state.closed = [(weakref.ref(pair.first), weakref.ref(pair.second)) for pair in pairs]
            if state.every and not state.ended_in and self._end is None:
                self._end = (state, GradientEnd(backward.roots, self._recorder.tap))

    def backward_ends(self, backward: Backward) -> None:
        if self._end is not None:
            state, end = self._end
            state.ended_in, self._end = end.stop(), None

    # --- layers with two directions

    def step_ends(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        state = None if tracked is None else self._states.get(tracked.id)
        if self._softmax is not None and self._softmax[1].has_heard:
            self._leave_softmax()
        if self._wanted:
            self._leave()
        elif state is not None and state.zero and state.num_looked <= SEARCHES:
            layers = {id(idle.layer) for idle in self._idle_directions(state)}
            layers |= {id(layer) for pair in state.still_closed() if (layer := self._layer_of(pair.second)) is not None}
            self._wanted = layers - self._calls.keys()
            if self._wanted and self._may_listen:
                self._recorder.forwards.listen(self.name, before=self._note_call)

    def _note_call(self, module: Module) -> None:
        if id(module) in self._wanted:
            self._calls[id(module)] = self._recorder.sites.here(2)

    def _leave(self) -> None:
        self._wanted = set()
        self._recorder.forwards.leave(self.name)

    def _leave_softmax(self) -> None:
        if self._softmax is not None:
            state, calls = self._softmax
            state.softmax_site, self._softmax = calls.leave(), None

    def _layer_of(self, param: Tensor) -> Module | None:
        place = self._recorder.names.scan.place(param)
        return None if place is None else place.module()

    def _idle_directions(self, state: State) -> list[IdleDirection]:
        zero = state.alive()
        places = [place for param in zero if (place := self._recorder.names.scan.place(param)) is not None]
        return idle_directions([place.module() for place in places], {id(param) for param in zero})

    # --- as facts

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        tracked = self._recorder.optimizers.get(optimizer)
        state = None if tracked is None else self._states.get(tracked.id)
        return {} if state is None or not state.zero else {"zero_gradients": tuple(self._facts(state))}

    def _facts(self, state: State) -> list[ZeroGradientFacts]:
        names = {self._recorder.names.of(param) for param in state.alive()}
        facts = [self._closed_facts(state, pairs)] if (pairs := state.still_closed()) else []
        if state.every:
            ended_in = next(iter(state.stepwise), state.ended_in)
            shown = tuple(sorted(names)[:NAMED])
            every = ZeroGradientFacts(
                "every", state.num_looked, shown, len(names), ended_in, site=self._site_of(state, ended_in)
            )
            return facts or [every]
        for operation, params in state.stepwise.items():
            if kept := [name for name in params if name in names]:
                shown = tuple(kept[:NAMED])
                site = self._site_of(state, operation)
                facts.append(ZeroGradientFacts("stepwise", state.num_looked, shown, len(kept), operation, site=site))
        for idle in self._idle_directions(state):
            shown = tuple(self._recorder.names.of(param) for param in idle.params)
            facts.append(
                ZeroGradientFacts(
                    idle.kind,
                    state.num_looked,
                    shown[:NAMED],
                    len(shown),
                    module=type(idle.layer).__name__,
                    direction=idle.direction,
                    site=self._calls.get(id(idle.layer)),
                )
            )
        return facts

    def _closed_facts(self, state: State, pairs: Sequence[ClosedPair]) -> ZeroGradientFacts:
        params = {id(param): param for pair in pairs for param in pair}
        names = [self._recorder.names.of(param) for param in params.values()]
        layer = self._layer_of(pairs[0].second)
        site = self._calls.get(id(layer))
        return ZeroGradientFacts("closed", state.num_looked, tuple(names[:NAMED]), len(names), site=site)

    @staticmethod
    def _site_of(state: State, operation: str) -> Site | None:
        return state.softmax_site if operation in SOFTMAXES.values() else None


def _zero(params: Sequence[Tensor]) -> list[Tensor]:
    """Those whose gradient consists of zeros. Half precision may have flushed it, and parts of a whole tell nothing."""
    dense = [p for p in params if (g := p.grad) is not None and type(g) is Tensor and _is_readable(g)]
    with torch.no_grad():
        counts = [p.grad.count_nonzero() for p in dense if p.grad is not None]
    return [param for param, count in zip(dense, counts, strict=True) if not count]


def _is_readable(grad: Tensor) -> bool:
    return grad.layout is torch.strided and not grad.is_meta and grad.dtype is not torch.float16 and grad.numel() > 0
