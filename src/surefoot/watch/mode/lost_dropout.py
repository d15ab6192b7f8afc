"""Watch dropout layers that trained, were switched off for an evaluation, and stay off when training goes on."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import Module
from torch.optim import Optimizer

from surefoot.facts import LostDropoutFacts, Site
from surefoot.watch.graph.compiling import switch_off_when_compiling
from surefoot.watch.inventory.module import is_training, modules_of, own_parameters, parameters_of, part
from surefoot.watch.mode.layer import drops
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

FIRST_WINDOWS = 32  # in which looks are spaced; the later ones that are armed are rare
MOST_EVALUATIONS = 8  # that are listened to
STEPS = 8  # backwards through a layer that is off


class Layer:
    """A dropout layer that was active at a step of an optimizer that trains the module around it."""

    def __init__(self, layer: Module, holder: Module) -> None:
        self.ref, self.holder = weakref.ref(layer), weakref.ref(holder)
        self.switched_at: Site | None = None
        self.is_evaluated = False  # it has run without gradients since it was last switched off
        self.is_called = False  # with gradients, since the last backward
        self.num_lost = 0  # backwards through it while it was off


class LostDropoutProbe(Probe):
    name = "lost_dropout"

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._layers: dict[int, Layer] = {}
        self._found: LostDropoutFacts | None = None
        self._num_evaluations = 0
        self._listens = False
        recorder.on_switch.append(self._switched)
        switch_off_when_compiling(recorder, self.name, self._leave)

    def step_begins(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None or self._found is not None:
            return
        num = tracked.num_updates
        if num > FIRST_WINDOWS or not num & (num - 1):
            for holder in self._recorder.names.registry.alive():
                active = [m for m in part(holder, "_modules").values() if drops(m) and is_training(m)]
                if active and any(id(param) in tracked.ids for param in parameters_of(holder)):
                    for layer in active:
                        self._layers.setdefault(id(layer), Layer(layer, holder))

    # --- evaluation

    def _switched(self, module: Module, mode: bool) -> None:
        if not self._layers or self._found is not None:
            return
        inside = [known for inner in modules_of(module) if (known := self._layers.get(id(inner))) is not None]
        if not inside:
            return
        site = self._recorder.sites.here(4)
        for known in inside:
            known.is_evaluated, known.num_lost = False, 0
            known.switched_at = None if mode else site
        if not mode and self._num_evaluations < MOST_EVALUATIONS:
            self._num_evaluations += 1
            self._listen()

    def _listen(self) -> None:
        if not self._listens:
            self._listens = True
            self._recorder.forwards.listen(self.name, before=self._is_called)
            self._recorder.at_next_backward.append((self.name, self._training_goes_on))

    def _is_called(self, module: Module) -> None:
        known = self._layers.get(id(module))
        if known is not None and not is_training(module):
            if torch.is_grad_enabled():
                known.is_called = True
            else:
                known.is_evaluated = True

    # --- training

    def _training_goes_on(self) -> None:
        lost = [known for known in self._layers.values() if known.is_evaluated and self._is_off(known)]
        for known in lost:
            known.num_lost += known.is_called
            known.is_called = False
        done = [known for known in lost if known.num_lost >= STEPS]
        if done:
            self._tell(done)
        if lost and not done:
            self._recorder.at_next_backward.append((self.name, self._training_goes_on))
        else:
            self._leave()

    def _is_off(self, known: Layer) -> bool:
        """Whether the layer is off while other modules that the same optimizer trains are in train mode."""
        layer, holder = known.ref(), known.holder()
        if layer is None or holder is None or is_training(layer):
            return False
        params = [id(param) for param in parameters_of(holder) if param.requires_grad]
        ids = {key for tracked in self._recorder.optimizers.holding(params) for key in tracked.ids}
        return any(
            is_training(module) and any(id(param) in ids and param.requires_grad for param in own_parameters(module))
            for module in self._recorder.names.registry.alive()
        )

    def _tell(self, lost: list[Layer]) -> None:
        holder = lost[0].holder()
        self._found = LostDropoutFacts(
            holder="" if holder is None else type(holder).__name__,
            num_layers=len(lost),
            num_steps=lost[0].num_lost,
            site=lost[0].switched_at,
        )
        self._recorder.setup_due = True

    def _leave(self) -> None:
        if self._listens:
            self._listens = False
            self._recorder.forwards.leave(self.name)

    def setup_facts(self) -> dict[str, Any]:
        return {} if self._found is None else {"lost_dropout": self._found}
