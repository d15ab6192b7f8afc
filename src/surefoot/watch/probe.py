"""The seam of the watch layer: one probe observes one kind of thing.

A probe overrides only what it needs; what it leaves alone costs nothing, because the recorder calls overridden
methods only. A probe that keeps raising is switched off and named in the report; the program goes on.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer


class Probe:
    name: str
    measures = False  # it is asked in windows that signals want, too, whether they are armed or not

    def install(self, recorder: Recorder) -> None:
        """Listen to what it needs (`recorder.tap`)."""

    def optimizer_made(self, tracked: TrackedOptimizer) -> None:
        """An optimizer exists that was not known."""

    def backward_begins(self, backward: Backward) -> None:
        """The graph is still whole; `backward.roots` are the tensors."""

    def backward_ends(self, backward: Backward) -> None:
        """Gradients have arrived."""

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        """Just before the update. What is returned tells windows apart: a new one is always recorded."""

    def step_starts(self, optimizer: Optimizer, closure: bool) -> None:
        """The last moment before the update, or before the closure that a step calls is first called."""

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        """Fields of StepFacts, asked for only if this step is recorded."""
        return {}

    def step_ends(self, optimizer: Optimizer) -> None:
        """Just after the update."""

    def condition(self, tracked: TrackedOptimizer) -> Hashable:
        """A state that tells windows apart though no call does, such as a mode. Asked for when one may have changed."""

    def window_opens(self, tracked: TrackedOptimizer) -> None:
        """A window begins that is read closely, at least up to the next step of this optimizer."""

    def setup_facts(self) -> dict[str, Any]:
        """Fields of SetupFacts."""
        return {}

    def end_facts(self) -> dict[str, Any]:
        """Fields of EndFacts."""
        return {}
