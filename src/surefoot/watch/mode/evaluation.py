"""Forwards that no backward follows: how a model that is being trained is evaluated, and in which mode.

Between two backwards everything that one line does with one model belongs to one phase. Whether that is an
evaluation or a part of the training step (targets, fakes, rollouts) shows in its rhythm: how many steps lie between
the phases, whether the line also ran before the first step, and whether it ran after the last one.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field, replace

from torch import Tensor
from torch.nn import Module

from surefoot.facts import EvaluationFacts, Site
from surefoot.watch.mode.layer_call import LayerCall
from surefoot.watch.mode.optimizer_progress import OptimizerProgress
from surefoot.watch.mode.quiet_pass import QuietGraphs

KEPT_GAPS = 8
KEPT_TRACKS = 256  # lines of dead models are forgotten beyond it
KEPT_FOLLOWERS = 8192
TOLD_PHASES = 16  # of each line, told whatever they look like; later ones only now and then


@dataclass(slots=True)
class Track:
    """One line at which one model is run, over the whole run."""

    model: weakref.ref[Module]
    num_phases: int = 0
    gaps: tuple[int, ...] = ()
    before_first_step: bool = False
    trainers: frozenset[int] = frozenset()
    updates: Counter[int] = field(default_factory=Counter)  # of all optimizers, when it last ran
    last: EvaluationFacts | None = None

    def is_told(self) -> bool:
        return self.num_phases <= TOLD_PHASES or self.num_phases & (self.num_phases - 1) == 0


@dataclass(slots=True)
class LayerRun:
    """What one model does at one line in the running phase."""

    model: weakref.ref[Module]
    leader: Hashable  # the layer, or place of a functional call, by which forwards are counted
    facts: EvaluationFacts
    trainers: frozenset[int]
    num_forwards: int = 0
    num_repeated: int = 0
    num_functional: int = 0
    dropout_in_eval: dict[Site, None] = field(default_factory=dict)
    input: weakref.ref[Tensor] | None = None
    graphs: QuietGraphs = field(default_factory=QuietGraphs)  # of forwards in train mode

    def count(self, given: Tensor | None) -> None:
        self.num_forwards += 1
        if given is not None:
            self.num_repeated += self.input is not None and self.input() is given
            self.input = weakref.ref(given)

    def told(self) -> EvaluationFacts:
        return replace(
            self.facts,
            num_forwards=self.num_forwards,
            num_repeated=self.num_repeated,
            num_dropout=self.facts.num_dropout + self.num_functional,
            dropout_in_eval=tuple(self.dropout_in_eval),
        )


class Evaluations:
    def __init__(self, progress: OptimizerProgress) -> None:
        self._progress = progress
        self._runs: dict[tuple[int, Site | None, bool], LayerRun] = {}
        self._leaders: set[Hashable] = set()  # that were seen in this phase
        self._followers: dict[Hashable, Hashable] = {}  # layers of a forward that another one counts already
        self._ignored: set[Hashable] = set()
        self._tracks: dict[tuple[int, Site | None, bool], Track] = {}
        self._told: list[EvaluationFacts] = []

    def knows(self, key: Hashable) -> bool:
        """Whether there is nothing new to learn from this layer or place in this phase."""
        return key in self._ignored or self._followers.get(key) in self._leaders

    def ignore(self, key: Hashable) -> None:
        self._ignored.add(key)

    def run_of(self, key: Hashable, call: LayerCall, *, with_gradient: bool) -> LayerRun | None:
        """The run to which a layer's forward belongs, if it was begun before."""
        run = self._runs.get((id(call.model), call.site, with_gradient))
        if run is not None and run.model() is call.model:
            self._count(run, key, call)
            return run
        return None

    def begin(self, key: Hashable, call: LayerCall, facts: EvaluationFacts) -> LayerRun:
        trainers = self._progress.trainers(call.modules)
        twins = frozenset() if trainers else self._progress.trainers_of_twin(call.model)
        facts = replace(facts, is_trained=bool(trainers), is_copy=bool(twins))
        run = LayerRun(weakref.ref(call.model), key, facts, trainers or twins)
        self._runs[(id(call.model), call.site, facts.with_gradient)] = run
        self._leaders.add(key)
        self._count(run, key, call)
        return run

    def _count(self, run: LayerRun, key: Hashable, call: LayerCall) -> None:
        if key == run.leader:
            if call.is_new:
                run.count(call.input)
        elif isinstance(key, int) and key not in self._leaders:
            if len(self._followers) > KEPT_FOLLOWERS:
                self._followers.clear()
            self._followers[key] = run.leader
        elif key not in self._leaders:
            self._ignored.add(key)

    def end_phase(self, *, by_backward: bool) -> None:
        """A backward begins, or a step, or the run ends."""
        if self._runs:
            for key, run in self._runs.items():
                if not (run.facts.with_gradient and _may_be_training(run, by_backward)):
                    self._close(key, run)
            self._runs.clear()
        self._leaders.clear()
        self._ignored.clear()

    def _close(self, key: tuple[int, Site | None, bool], run: LayerRun) -> None:
        track = self._track(key, run)
        progress = self._progress
        if track.num_phases:
            track.gaps = (*track.gaps, progress.steps_since(track.updates))[-KEPT_GAPS:]
        track.num_phases += 1
        track.before_first_step |= not run.trainers
        track.trainers = run.trainers
        track.updates = progress.updates.copy()
        track.last = replace(
            run.told(),
            phase=track.num_phases,
            gaps=track.gaps,
            before_first_step=track.before_first_step,
            num_optimizers=progress.num_in_play(run.trainers),
        )
        if track.is_told():
            self._told.append(track.last)

    def _track(self, key: tuple[int, Site | None, bool], run: LayerRun) -> Track:
        track = self._tracks.get(key)
        if track is None or track.model() is not run.model():
            if len(self._tracks) > KEPT_TRACKS:
                self._tracks = {k: t for k, t in self._tracks.items() if t.model() is not None}
            track = self._tracks[key] = Track(run.model)
        return track

    @property
    def has_news(self) -> bool:
        return bool(self._told)

    def take(self) -> tuple[EvaluationFacts, ...]:
        told, self._told = tuple(self._told), []
        return told

    def all_lines(self) -> tuple[EvaluationFacts, ...]:
        """The last phase at every line, with whether an optimizer stepped the model again."""
        now = self._progress.updates
        return tuple(
            replace(track.last, is_last=all(now[n] == track.updates[n] for n in track.trainers))
            for track in self._tracks.values()
            if track.last
        )


def _may_be_training(run: LayerRun, by_backward: bool) -> bool:
    """Whether a backward is that of the forwards we saw, which recorded graphs."""
    if run.facts.in_train:
        return not run.graphs.are_unused
    model = run.model()
    return by_backward and (model is None or not model.training)
