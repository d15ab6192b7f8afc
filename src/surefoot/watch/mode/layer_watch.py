"""What layers tell when they run: which model is evaluated, in which mode, and what its batch-norms do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import Module, modules
from torch.nn.modules.batchnorm import _BatchNorm

from surefoot.facts import EvaluationFacts, Site
from surefoot.watch.inventory.module import modules_of
from surefoot.watch.mode.batchnorm import BatchNorms
from surefoot.watch.mode.evaluation import Evaluations, LayerRun
from surefoot.watch.mode.layer import batchnorms, drops, mode_layers, moves_statistics
from surefoot.watch.mode.layer_call import LayerCall, find_call, find_frozen_call
from surefoot.watch.mode.optimizer_progress import OptimizerProgress
from surefoot.watch.mode.quiet_pass import running_quietly
from surefoot.watch.mode.switch import Switches

if TYPE_CHECKING:
    from surefoot.watch.epoch import EpochProbe, Pass
    from surefoot.watch.recorder import Recorder

_DROPOUT_FORWARDS = frozenset(
    cls.forward.__code__
    for cls in (
        modules.Dropout, modules.Dropout1d, modules.Dropout2d, modules.Dropout3d, modules.AlphaDropout,
        modules.FeatureAlphaDropout,
    )
)  # fmt: skip


class LayerWatch:
    """Told by the wrappers that a layer runs. What is asked for in every forward is kept to a look-up."""

    def __init__(self, recorder: Recorder, epochs: EpochProbe, on_pause: Callable[[], None]) -> None:
        self._recorder = recorder
        self._epochs = epochs
        self._on_pause = on_pause  # training may be over for a moment
        self.switches = Switches()
        self.progress = OptimizerProgress(recorder)
        self.evaluations = Evaluations(self.progress)
        self.batchnorms = BatchNorms(recorder, self._find_site, self._find_frozen)
        self._counts: tuple[Hashable, tuple[int, int]] = (None, (0, 0))

    def is_curious(self, *, active: bool) -> bool:
        """Whether a layer that is active, or that eval mode switched off, is worth a closer look."""
        return self.switches.graphs_matter if torch.is_grad_enabled() else active

    def switched(self, module: Module, mode: bool, was_training: bool) -> None:
        self.switches.note(module, mode, was_training, self._recorder.sites.here())
        for call in self._recorder.on_switch:
            call(module, mode)
        self._on_pause()

    def batchnorm(self, layer: _BatchNorm, given: Any) -> None:
        if self._recorder.thread_states.here().backward_stack:  # a checkpoint runs its block again
            return
        if layer.training and isinstance(given, Tensor):
            self.batchnorms.trains(layer, given)
        if self.is_curious(active=layer.training):
            self._look(layer, given, active=moves_statistics(layer) and layer.training)

    def recurrent(self, layer: Module, given: Any) -> None:
        if not self._recorder.thread_states.here().backward_stack and drops(layer):
            self._look(layer, given, active=layer.training)

    def _look(self, layer: Module, given: Any, *, active: bool) -> None:
        if not active and (layer.training or not torch.is_grad_enabled()):
            return
        key = id(layer)
        if self.evaluations.knows(key):
            return
        call = self._find_call(key)
        if call is not None:
            self._run(key, call, given)

    def dropout(self, given: Any, draws: bool, training_left_out: bool) -> None:
        """Dropout runs as a function: called by a dropout layer, or by the program itself."""
        if self._recorder.thread_states.here().backward_stack:
            return
        frame = sys._getframe(3)  # past the tap and the wrapper
        layer = frame.f_locals["self"] if frame.f_code in _DROPOUT_FORWARDS else None
        key: Hashable = (id(frame.f_code), frame.f_lasti) if layer is None else id(layer)
        if self.evaluations.knows(key):
            return
        call = self._find_call(key)
        if call is None:
            return
        if layer is None and not draws:
            self.switches.note_functional(call.modules)
        escapes = draws and _escapes_eval(call, layer, training_left_out)
        run = self._run((key, "escapes") if escapes and layer is not None else key, call, given)
        if run is not None and layer is None and draws:
            run.num_functional += 1
        if run is not None and escapes:
            site = self._recorder.sites.here()
            if site is not None:
                run.dropout_in_eval[site] = None

    def _find_call(self, key: Hashable) -> LayerCall | None:
        call = find_call(self._recorder.sites, 2)
        if call is None or call.is_torchs_own or (_may_train(call) and self._quiet_pass is None):
            self.evaluations.ignore(key)
            self._on_pause()
            return None
        return call

    @property
    def _quiet_pass(self) -> Pass | None:
        return running_quietly(self._epochs, self._recorder)

    def _find_site(self) -> Site | None:
        call = find_call(self._recorder.sites, 2, mark=False)
        return None if call is None else call.site

    def _find_frozen(self) -> Site | None:
        return find_frozen_call(self._recorder.sites, 2)

    def _run(self, key: Hashable, call: LayerCall, given: Any) -> LayerRun | None:
        with_gradient = torch.is_grad_enabled()
        quiet = self._quiet_pass if _may_train(call) else None
        if quiet is not None and (not isinstance(given, Tensor) or given.grad_fn is None):
            return None  # a later layer will tell when this graph is gone
        run = self.evaluations.run_of(key, call, with_gradient=with_gradient)
        if run is None:
            run = self._begin(key, call, with_gradient)
        if quiet is not None and run.leader == key:
            run.graphs.add(quiet, given.grad_fn)
        return run

    def _begin(self, key: Hashable, call: LayerCall, with_gradient: bool) -> LayerRun:
        model = call.model
        num_dropout, num_batchnorm = self._count(model)
        facts = EvaluationFacts(
            model=_name(model),
            site=call.site,
            in_train=model.training,
            with_gradient=with_gradient,
            wants_input_gradient=call.input is not None and call.input.requires_grad,
            num_batchnorm=num_batchnorm,
            num_dropout=num_dropout,
            switched_on=self.switches.was_switched_on(model),
            recalibrates=self._recalibrates(model),
        )
        self._on_pause()
        return self.evaluations.begin(key, call, facts)

    def _count(self, model: Module) -> tuple[int, int]:
        """Active dropout and batch-norm layers; counted again only when something was switched."""
        state = (id(model), self.switches.version)
        if self._counts[0] != state:
            self._counts = (state, mode_layers([model], in_train=True))
        return self._counts[1]

    def _recalibrates(self, model: Module) -> bool:
        """Whether batch-norm statistics were reset after training, or are averaged over all batches to come."""
        first = next((layer for layer in batchnorms(model) if layer.training and layer.track_running_stats), None)
        if first is None:
            return False
        tracked = first.num_batches_tracked
        was_reset = type(tracked) is Tensor and int(tracked) == 0 and self.batchnorms.num_forwards(first) > 0
        return first.momentum is None or was_reset


def _may_train(call: LayerCall) -> bool:
    return torch.is_grad_enabled() and call.model.training


def _escapes_eval(call: LayerCall, layer: Module | None, training_left_out: bool) -> bool:
    """Whether the model is in eval mode, and this dropout is one that the switch does not reach."""
    if call.model.training:
        return False
    if layer is None:
        return training_left_out and not call.modules[0].training
    return all(layer is not inner for inner in modules_of(call.model))


def _name(model: Module) -> str:
    """The user's class, also where torch wrapped it."""
    inner = getattr(model, "_orig_mod", None) or getattr(model, "module", None)
    wrapped = type(model).__module__.startswith("torch.") and isinstance(inner, Module)
    return _name(inner) if wrapped and inner is not None else type(model).__name__
