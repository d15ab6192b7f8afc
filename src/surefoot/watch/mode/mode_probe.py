"""Watch train and eval mode: who is switched, which mode a step trains in, how models are evaluated."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from surefoot.facts import EvalModeFacts, ModeFacts
from surefoot.watch.mode.layer_watch import LayerWatch
from surefoot.watch.mode.patches import patch_all
from surefoot.watch.probe import Probe
from surefoot.watch.tracked_optimizer import TrackedOptimizer

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.watch.epoch import EpochProbe, Loader
    from surefoot.watch.recorder import Recorder


class ModeProbe(Probe):
    name = "mode"

    def __init__(self, epochs: EpochProbe) -> None:
        self._epochs = epochs

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._layers = LayerWatch(recorder, self._epochs, self._training_stops)
        self._in_eval: dict[int, EvalModeFacts | None] = {}  # by optimizer, at the last backward
        self._since: dict[int, int] = {}  # by optimizer, the update since which that holds
        self._num_in_train: dict[int, int] = {}  # steps in train mode, up to then
        self._numbers: dict[EvalModeFacts | None, int] = {None: 0}
        patch_all(recorder, self._layers)
        self._epochs.on_start.append(self._pass_starts)
        self._training_stops()

    def optimizer_made(self, tracked: TrackedOptimizer) -> None:
        self._layers.switches.has_news = True
        self._training_stops()

    # --- between training

    def _pass_starts(self, loader: Loader) -> None:
        if not loader.is_trained_on and self._recorder.num_steps:
            self._layers.switches.pass_starts()
            self._training_stops()

    def _training_stops(self) -> None:
        """A mode was switched, or something runs without gradients: look again when training goes on."""
        waiting = self._recorder.at_next_backward
        if not any(call == self._training_goes_on for _, call in waiting):
            waiting.append((self.name, self._training_goes_on))

    def _training_goes_on(self) -> None:
        if self._recorder.thread_states.here().backward_stack:
            self._training_stops()  # not yet: it is a part of a backward that runs
            return
        layers = self._layers
        layers.evaluations.end_phase(by_backward=True)
        layers.switches.training_goes_on()
        if layers.evaluations.has_news:
            self._recorder.record_due = True
        if layers.switches.has_news:
            layers.switches.has_news = False
            for tracked in self._recorder.optimizers.values():
                self._learn(tracked)
            self._recorder.conditions_change()

    def _learn(self, tracked: TrackedOptimizer) -> EvalModeFacts | None:
        number, update = tracked.id, tracked.num_updates
        if number in self._in_eval and self._in_eval[number] is None:
            self._num_in_train[number] = self._num_in_train.get(number, 0) + update - self._since[number]
        self._since[number] = update
        self._in_eval[number] = in_eval = self._layers.switches.eval_mode_of(tracked)
        return in_eval

    def _eval_mode_of(self, tracked: TrackedOptimizer) -> EvalModeFacts | None:
        return self._in_eval[tracked.id] if tracked.id in self._in_eval else self._learn(tracked)

    def condition(self, tracked: TrackedOptimizer) -> Hashable:
        return self._numbers.setdefault(self._eval_mode_of(tracked), len(self._numbers))

    # --- steps

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        layers = self._layers
        if not self._recorder.thread_states.here().backward_stack:
            layers.evaluations.end_phase(by_backward=False)
        if layers.evaluations.has_news:
            self._recorder.record_due = True
        layers.switches.step_begins()
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is not None:
            layers.progress.step(tracked)
        return layers.batchnorms.shape

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None:
            return {}
        layers, names = self._layers, self._recorder.names
        in_eval = self._eval_mode_of(tracked)
        if in_eval is not None:
            in_eval = replace(in_eval, num_steps_in_train=self._num_in_train.get(tracked.id, 0))
        mode = ModeFacts(
            in_eval=in_eval,
            num_batchnorm_trained=layers.batchnorms.num_trained(tracked, tracked.previous_step),
            tiny_batch=layers.batchnorms.tiny_batch(tracked, names),
            drift=layers.batchnorms.drift(names),
        )
        told = {"mode": mode} if mode != ModeFacts() else {}
        return {**told, "evaluations": layers.evaluations.take()}

    def end_facts(self) -> dict[str, Any]:
        self._layers.evaluations.end_phase(by_backward=False)
        return {"evaluations": self._layers.evaluations.all_lines()}
