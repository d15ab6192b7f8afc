"""Watch copies of a model whose weights the program moves after it, as an average does: do their statistics follow?

A copy has parameters of the same shapes, none of which an optimizer holds. Calls of modules are heard only where one
exists: after the first steps, if it is stale, and between `eval()` and `train()`.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import Module, Parameter
from torch.nn.modules.batchnorm import _BatchNorm
from torch.optim import Optimizer

from surefoot.facts import AveragedFacts, PlainAverageFacts
from surefoot.watch.graph.compiling import switch_off_when_compiling
from surefoot.watch.inventory.module import is_training, parameters_of, part
from surefoot.watch.mode.layer_call import find_call
from surefoot.watch.mode.plain_average import PlainAverages
from surefoot.watch.mode.statistics import are_equal, layers_of, statistics_of, weights_of
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

FIRST_WINDOWS = 32  # in which looks are spaced; the later ones that are armed are rare
MIN_STEPS = 16  # some copy the statistics now and then
MOST_SWITCHES = 64  # to eval mode after which calls are heard
FOLLOWS = 0.5  # cosine between the way that the copy went and the way to the model


class Copy:
    """A copy and the model that it follows, when they were first seen."""

    def __init__(self, copy: Module, model: Module, num_steps: int) -> None:
        self.copy, self.model, self.first_step = weakref.ref(copy), weakref.ref(model), num_steps
        self.start = weights_of(copy)
        self.statistics = statistics_of(copy)

    def has_oldstatistics_of(self) -> bool:
        copy, model = self.copy(), self.model()
        if copy is None or model is None:
            return False
        mine, theirs = statistics_of(copy), statistics_of(model)
        return bool(mine) and are_equal(mine, self.statistics) and not are_equal(mine, theirs)

    def is_stale(self) -> bool:
        """Its weights went towards the model's, the model's statistics have changed, and its own have not."""
        copy, model = self.copy(), self.model()
        if copy is None or model is None or not self.has_oldstatistics_of():
            return False
        now, target = weights_of(copy), weights_of(model)
        if now.shape != self.start.shape or now.shape != target.shape:
            return False
        went, way = now - self.start, target - self.start
        return bool(went.any()) and float(torch.cosine_similarity(went, way, dim=0)) > FOLLOWS


class AveragedProbe(Probe):
    name = "averaged"

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._copies: dict[int, Copy] = {}
        self._wanted: dict[int, Copy] = {}  # by the identity of a batch-norm layer
        self._found: dict[int, AveragedFacts] = {}
        self._plain: list[PlainAverageFacts] = []
        self._num_switches = 0
        self._met = (0, 0)  # modules and optimizers that there were at the last search
        PlainAverages(recorder, self.name, self._note_plain)
        recorder.on_switch.append(self._switched)
        switch_off_when_compiling(recorder, self.name, self._leave)

    def step_begins(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None:
            return
        num = tracked.num_updates
        if num <= FIRST_WINDOWS and num & (num - 1):
            return
        self._meet()
        self._want([c for key, c in self._copies.items() if key not in self._found and c.is_stale()])

    def _switched(self, module: Module, mode: bool) -> None:
        self._num_switches += not mode
        if mode:
            self._leave()
        elif self._copies and self._num_switches <= MOST_SWITCHES:
            self._meet()
            self._want([c for key, c in self._copies.items() if key not in self._found and c.has_oldstatistics_of()])

    def _want(self, stale: list[Copy]) -> None:
        wanted = {id(layer): c for c in stale if (copy := c.copy()) is not None for layer in layers_of(copy)}
        if wanted and not self._wanted:
            self._recorder.forwards.listen(self.name, before=self._is_called)
        elif self._wanted and not wanted:
            self._leave()
        self._wanted = wanted

    def _meet(self) -> None:
        """Find copies that are not known."""
        there_are = (self._recorder.names.registry.num_noted, self._recorder.optimizers.version)
        if there_are == self._met:
            return
        self._met = there_are
        candidates = self._candidates()
        owned = self._recorder.optimizers.owners()
        trained = [m for m in candidates if any(id(p) in owned for p in parameters_of(m))]
        for copy in candidates:
            params = list(parameters_of(copy))
            known = self._copies.get(id(copy))
            if (known is not None and known.copy() is copy) or any(id(p) in owned for p in params):
                continue
            shapes = [p.shape for p in params]
            model = next((m for m in trained if [p.shape for p in parameters_of(m)] == shapes), None)
            if model is not None:
                self._copies[id(copy)] = Copy(copy, model, self._recorder.num_steps)

    def _candidates(self) -> list[Module]:
        """Models with batch-norm layers: those that no module holds, and their direct children."""
        alive = self._recorder.names.registry.alive()
        held = {id(child) for module in alive for child in part(module, "_modules").values()}
        roots = [module for module in alive if id(module) not in held]
        inner = [child for root in roots for child in part(root, "_modules").values() if child is not None]
        models = [module for module in [*roots, *inner] if not issubclass(type(module), _BatchNorm)]
        return [model for model in models if layers_of(model) and _is_plain(model)]

    def _is_called(self, module: Module) -> None:
        copy = self._wanted.get(id(module))
        model = None if copy is None else copy.copy()
        if copy is None or model is None or is_training(module):
            return
        num_steps = self._recorder.num_steps - copy.first_step
        if num_steps < MIN_STEPS or not copy.is_stale():
            return
        call = find_call(self._recorder.sites, 2, mark=False)
        params = list(parameters_of(model))
        self._found[id(model)] = AveragedFacts(
            model=type(model).__name__,
            param=self._recorder.names.of(params[0]),
            num_layers=len(layers_of(model)),
            num_steps=num_steps,
            site=None if call is None else call.site,
        )
        self._recorder.setup_due = True
        self._leave()

    def _leave(self) -> None:
        if self._wanted:
            self._wanted = {}
            self._recorder.forwards.leave(self.name)

    def _note_plain(self, found: PlainAverageFacts) -> None:
        self._plain.append(found)
        self._recorder.setup_due = True

    def setup_facts(self) -> dict[str, Any]:
        return {"averaged": tuple(self._found.values()), "plain_averages": tuple(self._plain)}


def _is_plain(model: Module) -> bool:
    """Whether its values can be read: no shards, for which other ranks would be asked, and nothing without a shape."""
    return all(type(p) in (Tensor, Parameter) and not p.is_meta for p in parameters_of(model))
