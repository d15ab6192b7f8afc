"""Watch parameters that an optimizer steps and that get no gradient, and follow their values to see why."""

from __future__ import annotations

import weakref
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch.optim import Optimizer

from surefoot.facts import Site, UntrainedFacts
from surefoot.watch.build_facts import NAMED
from surefoot.watch.graph.compiling import switch_off_when_compiling
from surefoot.watch.graph.cutsite import locate
from surefoot.watch.graph.outside import Cut
from surefoot.watch.graph.value_flow import AVOIDABLE, Flow
from surefoot.watch.probe import Probe
from surefoot.watch.sample import sample_sum

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

FOLLOWED = frozenset(
    (1, 2, 4, 16)
)  # updates after which values are followed; early, as later steps may be slept through


@dataclass(slots=True)
class Suspect:
    """A trainable parameter that has had no gradient yet. The program may drop it before the run ends."""

    param: weakref.ref[Tensor]
    tracked: int
    start: float  # the sum of some of its elements
    name: str = ""
    moved: bool = False
    fate: str = ""  # as in UntrainedFacts
    cut: Cut | None = None


class FlowProbe(Probe):
    name = "flow"

    def __init__(self) -> None:
        self._suspects: list[Suspect] = []
        self._met: set[int] = set()  # tracked optimizers that were looked at for suspects
        self._num_updates: dict[int, int] = {}
        self._num_trained: dict[int, int] = {}
        self._flow: Flow | None = None
        self._followed: list[Suspect] = []
        self._places: dict[Cut, tuple[Site | None, bool]] = {}
        self._follows = 0  # the tracked optimizer until whose next step values are followed

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        switch_off_when_compiling(recorder, self.name, self._leave)
        recorder.tap.on_removal(self._leave)

    # --- who has no gradient

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None:
            return None
        if self._flow is not None and self._follows == tracked.id:
            self._learn()
        if tracked.id not in self._met and self._recorder.num_backwards:
            self._meet(tracked)
        if not self._suspects:
            return None
        self._num_updates[tracked.id] = tracked.num_updates
        self._drop_trained()
        if not tracked.num_updates & (tracked.num_updates - 1):
            self._see_moves()
        return tuple((s.fate, s.cut) for s in self._suspects if s.tracked == tracked.id)

    def _meet(self, tracked: TrackedOptimizer) -> None:
        params = [p for p in tracked.ledger.params if p.requires_grad]
        reach = self._recorder.optimizers.within_reach(self._recorder.thread_states)  # no other thread writes to them
        others = [p for other in reach for p in other.ledger.params if p.grad is not None]
        if not others:
            return  # nothing got a gradient yet: no step to learn from
        self._met.add(tracked.id)
        self._num_trained[tracked.id] = sum(1 for p in params if p.grad is not None)
        self._suspects += [Suspect(weakref.ref(p), tracked.id, sample_sum(p)) for p in params if p.grad is None]

    def backward_ends(self, backward: Backward) -> None:
        if self._suspects:
            self._drop_trained()
        if self._flow is not None:
            self._flow.paused = False

    def _drop_trained(self) -> None:
        self._suspects = [s for s in self._suspects if (p := s.param()) is None or (p.grad is None and p.requires_grad)]

    def _see_moves(self) -> None:
        for s in self._suspects:
            if not s.moved and (p := s.param()) is not None:
                s.moved = sample_sum(p) != s.start

    # --- where their values go

    def step_ends(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        if not self._suspects or tracked is None or tracked.num_updates not in FOLLOWED or self._flow is not None:
            return
        alive = [(s, p) for s in self._suspects if (p := s.param()) is not None]
        self._followed, params = [s for s, _ in alive], [p for _, p in alive]
        here = self._recorder.sites.here
        flow = Flow(params, lambda: here(2), self._recorder.tap.is_deaf)
        if flow.enter():
            self._flow, self._follows = flow, tracked.id

    def backward_begins(self, backward: Backward) -> None:
        if self._flow is not None and not self._flow.paused:
            self._flow.reach(backward.roots)
            self._flow.paused = True

    def _learn(self) -> None:
        flow = self._flow
        if flow is None:
            return
        for i, suspect in enumerate(self._followed):
            param = suspect.param()
            suspect.name = suspect.name if param is None else self._recorder.names.of(param)
            if suspect.fate != "cut":
                suspect.fate = "dead-end" if i in flow.used or suspect.fate == "dead-end" else "unused"
        for cut, indices in sorted(flow.cuts.items(), key=lambda found: found[0].kind in AVOIDABLE):  # those count
            for i in indices - flow.live:
                self._followed[i].fate, self._followed[i].cut = "cut", cut
        self._leave()
        if flow.failure is not None:
            raise flow.failure

    def _leave(self) -> None:
        if self._flow is not None and self._flow.leave():
            self._flow, self._followed = None, []

    # --- as facts

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        tracked = self._recorder.optimizers.get(optimizer)
        mine = [s for s in self._suspects if tracked is not None and s.tracked == tracked.id]
        return {"untrained": self._facts(mine)} if mine else {}

    def end_facts(self) -> dict[str, Any]:
        self._leave()
        self._drop_trained()
        self._see_moves()
        return {"untrained": self._facts(self._suspects)} if self._suspects else {}

    def _facts(self, suspects: list[Suspect]) -> tuple[UntrainedFacts, ...]:
        groups: dict[UntrainedFacts, list[str]] = {}
        for suspect in suspects:
            groups.setdefault(self._reason(suspect), []).append(suspect.name)
        return tuple(
            replace(reason, params=tuple(names[:NAMED]), num_params=len(names)) for reason, names in groups.items()
        )

    def _reason(self, suspect: Suspect) -> UntrainedFacts:
        cut = suspect.cut
        site, conditional = self._located(cut) if cut is not None else (None, False)
        return UntrainedFacts(
            optimizer=suspect.tracked,
            num_steps=self._num_updates.get(suspect.tracked, 0),
            num_trained=self._num_trained.get(suspect.tracked, 0),
            fate=suspect.fate,
            cut_by="" if cut is None else cut.kind,
            conditional=conditional,
            moved=suspect.moved,
            site=site,
        )

    def _located(self, cut: Cut) -> tuple[Site | None, bool]:
        if cut not in self._places:
            self._places[cut] = locate(cut)
        return self._places[cut]
