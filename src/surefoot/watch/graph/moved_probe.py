"""See views that were meant to swap dimensions, in the graphs of the first losses of each line."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from surefoot.facts import MovedFacts, Site
from surefoot.watch.graph.compiling import switch_off_when_compiling
from surefoot.watch.graph.moved import Moved, moved_dimensions
from surefoot.watch.graph.view_calls import ViewCalls
from surefoot.watch.probe import Probe
from surefoot.watch.seq.backprop import nodes_behind

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder

MAX_LOOKS = 2  # at losses of each line
MAX_LINES = 32
MAX_STEPS = 4  # in which the call is listened for


class MovedProbe(Probe):
    name = "moved"

    def __init__(self) -> None:
        self._num_looks: dict[Site | None, int] = {}
        self._known: dict[Moved, Site | None] = {}  # and the line of a loss that it is behind
        self._calls: ViewCalls | None = None
        self._num_steps = 0  # in which calls were listened for
        self._told: tuple[MovedFacts, ...] = ()

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        switch_off_when_compiling(recorder, self.name, self._leave)
        recorder.tap.on_removal(self._leave)

    def backward_begins(self, backward: Backward) -> None:
        looks = self._num_looks.get(backward.site, 0)
        if looks >= MAX_LOOKS or len(self._num_looks) >= MAX_LINES or self._calls is not None:
            return
        self._num_looks[backward.site] = looks + 1
        found: set[Moved] = set()
        for root in backward.roots:
            if root.grad_fn is not None:
                found.update(moved_dimensions(nodes_behind(root.grad_fn) or ()))
        new = found - self._known.keys()
        if new:
            self._known |= dict.fromkeys(new, backward.site)
            self._calls = ViewCalls(self._recorder, self.name, new)
            self._num_steps = 0

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        calls = self._calls
        if calls is not None and (calls.has_all or self._num_steps >= MAX_STEPS):
            self._told = tuple(
                MovedFacts(one.before, one.after, one.size, calls.sites.get((one.before, one.after)) or site)
                for one, site in self._known.items()
                if (one.before, one.after) in calls.wanted
            )
            self._leave()
        return hash(self._told) if self._told else None

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        return {"moved": self._told} if self._told else {}

    def step_ends(self, optimizer: Optimizer) -> None:
        self._num_steps += 1
        self._told = ()

    def _leave(self) -> None:
        if self._calls is not None:
            self._calls.leave()
            self._calls = None
