"""Watch batch-norm layers with a large momentum: are they trained, and then evaluated by their running statistics?"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch.nn import Module
from torch.nn.modules.batchnorm import _BatchNorm, _NormBase
from torch.optim import Optimizer

from surefoot.facts import MomentumFacts, Site
from surefoot.watch.graph.compiling import switch_off_when_compiling
from surefoot.watch.inventory.module import attribute, is_training, modules_of, part
from surefoot.watch.probe import Probe
from surefoot.watch.source import find_assignment

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

LARGE = 0.8  # and below 1, which asks for the last batch on purpose; 0.5 is the start of well-known schedules
FEW_BATCHES = 4


class Suspect:
    """A layer in train mode, when first seen."""

    def __init__(self, layer: _BatchNorm, tracked: int) -> None:
        self.ref = weakref.ref(layer)
        self.momentum = float(layer.momentum or 0.0)
        self.tracked = tracked

    def num_batches(self) -> int:
        """That it has trained on since, with the very momentum; 0 if that has changed."""
        layer = self.ref()
        return _tracked(layer) - self.tracked if layer is not None and layer.momentum == self.momentum else 0


class MomentumProbe(Probe):
    name = "momentum"

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._made: dict[int, tuple[weakref.ref[Module], float, Site | None]] = {}
        self._suspects: dict[int, Suspect] = {}
        self._found: MomentumFacts | None = None
        self._listens = False
        recorder.on_switch.append(self._switched)
        recorder.tap.listen(_NormBase, "reset_running_stats", self.name, after=self._was_reset)
        switch_off_when_compiling(recorder, self.name, self._leave)

    def _was_reset(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        """It was made, or somebody takes its statistics anew, as `update_bn` does."""
        layer = args[0]
        self._suspects.pop(id(layer), None)
        known = self._made.get(id(layer))
        if _is_large(layer) and (known is None or known[0]() is not layer):
            self._made[id(layer)] = (weakref.ref(layer), layer.momentum, self._recorder.sites.here())

    # --- training

    def step_begins(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None or tracked.num_updates & (tracked.num_updates - 1) or self._found is not None:
            return
        for module in self._recorder.names.registry.alive():
            if id(module) not in self._suspects and _is_large(module) and is_training(module):
                layer: Any = module
                self._suspects[id(layer)] = Suspect(layer, _tracked(layer))

    # --- evaluation

    def _switched(self, module: Module, mode: bool) -> None:
        if mode or not self._suspects or self._found is not None:
            self._leave()
        elif not self._listens and any(id(inner) in self._suspects for inner in modules_of(module)):
            self._listens = True
            self._recorder.forwards.listen(self.name, before=self._is_called)

    def _is_called(self, module: Module) -> None:
        if self._found is None and id(module) in self._suspects and not is_training(module):
            self._find()
            self._leave()

    def _leave(self) -> None:
        if self._listens:
            self._listens = False
            self._recorder.forwards.leave(self.name)

    def _find(self) -> None:
        guilty = [
            (layer, suspect)
            for suspect in self._suspects.values()
            if (layer := suspect.ref()) is not None and not is_training(layer) and suspect.num_batches() >= FEW_BATCHES
        ]
        if not guilty:
            return
        layer, suspect = guilty[0]
        weight = part(layer, "_parameters").get("weight")
        name = None if weight is None else self._recorder.names.of(weight).removesuffix(".weight")
        self._found = MomentumFacts(
            layer=type(layer).__name__ if name is None else name,
            momentum=suspect.momentum,
            num_layers=len(guilty),
            num_batches=suspect.num_batches(),
            site=self._site(layer, suspect.momentum) or self._recorder.sites.here(4),
        )
        self._recorder.setup_due = True

    def _site(self, layer: _BatchNorm, momentum: float) -> Site | None:
        made = self._made.get(id(layer))
        if made is not None and made[0]() is layer and made[1] == momentum:
            return made[2]
        return find_assignment(self._recorder.sites.files(), "momentum")

    def setup_facts(self) -> dict[str, Any]:
        return {} if self._found is None else {"momentum": self._found}


def _is_large(module: Any) -> bool:
    momentum = attribute(module, "momentum")
    return (
        issubclass(type(module), _BatchNorm)
        and isinstance(momentum, float)
        and LARGE <= momentum < 1
        and attribute(module, "track_running_stats") is True
    )


def _tracked(layer: Any) -> int:
    tracked = part(layer, "_buffers").get("num_batches_tracked")
    return int(tracked) if type(tracked) is Tensor and not tracked.is_meta else 0
