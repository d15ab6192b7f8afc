"""Watch for runs that compute gradients and in which no optimizer ever steps."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from torch.nn import Parameter

from surefoot.facts import Site, UnsteppedFacts
from surefoot.watch.graph.walk import leaves_behind
from surefoot.watch.optimizer_use import reads_gradients, step_call
from surefoot.watch.probe import Probe
from surefoot.watch.sample import sample_sum

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer


class Waiting:
    """An optimizer that has not stepped so far. It may be gone before the run ends."""

    def __init__(self, tracked: TrackedOptimizer) -> None:
        self.tracked, self.made = tracked.id, tracked.site
        self.kind = type(tracked.optimizer()).__name__
        self.site: Site | None = None  # of the last backward that reached it
        self.num_backwards = 0
        self.moved = False
        self._params = [(weakref.ref(p), sample_sum(p)) for p in tracked.ledger.params]

    def look(self) -> None:
        self.moved = self.moved or any(
            (param := ref()) is not None and sample_sum(param) != start for ref, start in self._params
        )


class UnsteppedProbe(Probe):
    name = "unstepped"

    def __init__(self) -> None:
        self._waiting: dict[int, Waiting] = {}  # by tracked optimizer
        self._is_for_inputs: dict[int, bool] = {}  # by line: backward is for the gradient of what nobody trains
        self._counts = True  # the running backward does

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def backward_begins(self, backward: Backward) -> None:
        self._counts = not self._recorder.num_steps and not self._asks_for_inputs(backward)

    def _asks_for_inputs(self, backward: Backward) -> bool:
        """Adversarial inputs and saliency maps: gradients of parameters come about beside what is wanted."""
        line = id(backward.site)
        if line not in self._is_for_inputs:
            held = self._recorder.optimizers.owners()
            leaves = leaves_behind(backward.roots)
            self._is_for_inputs[line] = any(not isinstance(t, Parameter) and id(t) not in held for t in leaves)
        return self._is_for_inputs[line]

    def backward_ends(self, backward: Backward) -> None:
        if self._counts:
            reached = {number for number, _ in backward.reached}
            for tracked in self._recorder.optimizers.all:
                if tracked.id in reached:
                    self._count(tracked, backward.site)

    def _count(self, tracked: TrackedOptimizer, site: Site | None) -> None:
        waiting = self._waiting.get(tracked.id)
        if waiting is None:
            waiting = self._waiting[tracked.id] = Waiting(tracked)
        waiting.site = site
        waiting.num_backwards = number = waiting.num_backwards + 1
        if not number & (number - 1):
            waiting.look()

    def end_facts(self) -> dict[str, Any]:
        if self._recorder.num_steps or not self._waiting:
            return {}
        for waiting in self._waiting.values():
            waiting.look()
        files = self._recorder.sites.files()
        reads = reads_gradients(files)
        facts = [
            UnsteppedFacts(w.tracked, w.kind, w.num_backwards, reads, step_call(files, w.made), w.site)
            for w in self._waiting.values()
            if not w.moved
        ]
        return {"unstepped": tuple(facts)} if facts else {}
