"""The seam of the watch layer: one probe observes one kind of thing.

A probe overrides only what it needs; what it leaves alone costs nothing, because the recorder calls overridden
methods only. A probe that raises is switched off and named in the report; the program goes on.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.watch.account import Account
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder


class Probe:
    name: str
    sleepless = False  # it counts: its calls and `step_begins` run even while the recorder sleeps (see doze.py)

    def install(self, recorder: Recorder) -> None:
        """Put hooks and patches in place (`recorder.patches`, `recorder.guarded`)."""

    def backward_begins(self, backward: Backward) -> None:
        """The graph is still whole; `backward.roots` are the tensors."""

    def backward_ends(self, backward: Backward) -> None:
        """Gradients have arrived."""

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        """Just before the update. What is returned is part of the step's shape: a new shape is always recorded."""

    def slept(self, account: Account, num_steps: int) -> None:
        """So many steps went by asleep, without a call of this probe in them; only told to sleepless probes."""

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        """Fields of StepFacts, asked for only if this step is recorded."""
        return {}

    def step_ends(self, optimizer: Optimizer) -> None:
        """Just after the update."""

    def setup_facts(self) -> dict[str, Any]:
        """Fields of SetupFacts."""
        return {}

    def end_facts(self) -> dict[str, Any]:
        """Fields of EndFacts."""
        return {}
