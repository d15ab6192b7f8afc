"""Steps of one optimizer whose gradients no other rank has seen, until something is sent."""

from __future__ import annotations

from dataclasses import dataclass, field

from surefoot.facts import Site, UnsyncedFacts
from surefoot.watch.dist.traffic import Mark
from surefoot.watch.tracked_optimizer import TrackedOptimizer


@dataclass(slots=True)
class Alone:
    """Such steps in a row, of the parameters in one wrapper or in none."""

    kind: str
    first_update: int
    mark: Mark  # of the traffic, at each of these steps
    model: str = ""
    backward: Site | None = None
    backward_syncs: bool = False
    is_partly_sent: bool = False  # an earlier micro-batch of the window was synchronised
    site: Site | None = None  # of the last one
    is_over: bool = False  # a step on synchronised gradients has followed

    def facts(self, optimizer: int, num_ranks: int, last_update: int) -> UnsyncedFacts:
        return UnsyncedFacts(
            self.kind, optimizer, num_ranks, last_update - self.first_update + 1, self.site, self.backward, self.model,
            self.backward_syncs, self.is_over, self.is_partly_sent,
        )  # fmt: skip


@dataclass(slots=True)
class Course:
    """What is known of one optimizer. Keys are numbers of wrappers, 0 for none."""

    tracked: TrackedOptimizer  # stays when its optimizer has gone
    alone: dict[int, Alone] = field(default_factory=dict)
    was_alone: bool = False  # at some step
    is_mended: bool = False  # something was sent after such steps: weights may be averaged now and then, on purpose
    has_shared: bool = False  # sent something that may be gradients or weights, without a wrapper
    told: tuple[UnsyncedFacts, ...] = ()  # with the step that is being taken

    def steps_alone(self, key: int, step: Alone) -> Alone:
        """Go on with those before, if nothing was sent since."""
        self.was_alone = True
        before = self.alone.get(key)
        self.is_mended |= before is not None and before.mark != step.mark
        if before is None or before.mark != step.mark or before.kind != step.kind:
            self.alone[key] = before = step
        before.backward, before.site = step.backward, None
        return before

    @property
    def left(self) -> list[Alone]:
        """Steps that nothing has mended, of an optimizer whose steps are not mended now and then."""
        return [a for a in self.alone.values() if a.backward_syncs or a.is_partly_sent or not self.is_mended]

    def steps_together(self, key: int, mark_before: Mark) -> Alone | None:
        """The steps before, if nothing was sent between them and this one, whose window began at this mark."""
        before = self.alone.pop(key, None)
        self.is_mended |= before is not None and before.mark != mark_before
        if before is None or self.is_mended:
            return None
        before.is_over = True
        return before
