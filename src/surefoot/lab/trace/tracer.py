"""Which steps are traced, and the stages seen so far."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from surefoot.facts import Site
from surefoot.lab.trace.stage import Data, Evaluation, Stage, Step
from surefoot.watch.step import MaxStepsReached

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

MOST_STAGES = 4096  # of one step: some programs play whole games between two steps


class Tracer:
    """Waits for the first step that is wanted, is open until the last one, and then for what still belongs to it.

    What comes after a step, such as a schedule, is told with it, until something begins the next one.
    """

    def __init__(self, first: int, num_steps: int, *, to_end: bool) -> None:
        self.first = first
        self.last = first + num_steps - 1
        self.to_end = to_end
        self.num_done = 0  # steps
        self.stages: list[Stage] = []
        self.num_left_out = 0
        self._num_in_step = 0
        self._step = max(1, first - 1)  # to which stages belong now
        self._step_site: Site | None = None
        self._thread = 0
        self._is_closed = False
        self.recorder: Recorder | None = None

    # --- where we are

    @property
    def is_open(self) -> bool:
        return not self._is_closed and self.num_done >= self.first - 1

    def begins(self) -> bool:
        """Something begins that belongs to the next step, if one has just been taken. Whether it is traced."""
        if self.is_open and self.num_done >= self._step:
            self._step = self.num_done + 1
            self._num_in_step = 0
            self._is_closed = self.num_done >= self.last
        return self.is_open

    def follows(self, site: Site | None, *, is_next: bool = False) -> bool:
        """A call that may stand after a step or before the next. Whether it is traced.

        One that stands above the step in the same function is the next round's.
        """
        last = self._step_site
        if last is not None and site is not None:
            is_next |= (last.file, last.function) == (site.file, site.function) and site.line < last.line
        return self.begins() if is_next else self.is_open

    def end_if_over(self) -> None:
        """Called where the program is about to begin something: raises when all that was asked for has been seen."""
        if self.to_end or self.num_done < self.last or threading.get_ident() != self._thread:
            return
        if self.recorder is not None and self.recorder.tap.on and not self.recorder.tap.is_busy:
            self._is_closed = True
            raise MaxStepsReached(self.num_done)

    # --- what happens

    def add(self, stage: Stage) -> None:
        stage.step = stage.step or self._step
        if stage.step < self.first:  # what still belongs to the step before
            return
        if self.recorder is not None and stage.inside_step is None and not isinstance(stage, Step):
            stage.inside_step = self.recorder.inside_step
        if self._num_in_step >= MOST_STAGES and not isinstance(stage, Step):
            self.num_left_out += 1
            return
        self._num_in_step += 1
        self.stages.append(stage)

    def postpone(self, stage: Stage) -> None:
        """What was just added belongs to the next step, as it turns out."""
        if not self.stages or self.stages[-1] is not stage or stage.step > self.num_done:
            return
        self.stages.pop()
        if self.begins():
            stage.step = 0
            self.add(stage)

    def evaluates(self, model: str, site: Site | None, seconds: float) -> None:
        """A forward without gradients. Many of them in a row, each with its batch, are one stage."""
        if self._step < self.first:
            return
        stages = self.stages
        several = len(stages) > 1 and isinstance(stages[-1], Data) and isinstance(stages[-2], Evaluation)
        if several and stages[-2].step == self._step:
            stages.pop()
        stage = stages[-1] if stages else None
        if not isinstance(stage, Evaluation) or stage.step != self._step:
            stage = Evaluation(step=self._step, site=site)
            self.add(stage)
        stage.num_batches += several
        stage.models[model] = stage.models.get(model, 0) + 1
        stage.seconds += seconds

    def stepped(self, num_steps: int, site: Site | None) -> None:
        """A step is over; so many were taken."""
        self.num_done = num_steps
        self._step_site = site
        self._thread = threading.get_ident()
