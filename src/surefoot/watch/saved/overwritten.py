"""Weights that were loaded, and initialised anew before anything was trained."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import Module, init

from surefoot.facts import OverwrittenFacts, Site
from surefoot.watch.inventory.module import named_parameters

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

KEPT = 8  # loads
SAMPLED = 256  # elements of a matrix
FEWEST = 16  # elements of which it can be told whether they are related
RELATED = 0.5  # correlation of weights before and after: noise and scaling leave more
FUNCTIONS = (
    "uniform_", "normal_", "trunc_normal_", "constant_", "ones_", "zeros_", "eye_", "dirac_", "xavier_uniform_",
    "xavier_normal_", "kaiming_uniform_", "kaiming_normal_", "orthogonal_", "sparse_",
)  # fmt: skip


@dataclass(slots=True)
class Loaded:
    param: weakref.ref[Tensor]
    sample: Tensor
    reset: Site | None = None
    is_reset: bool = False

    @property
    def is_overwritten(self) -> bool:
        """By what has nothing to do with the weights that were loaded."""
        param = self.param()
        return param is not None and not _are_related(self.sample, _sample(param))


@dataclass(slots=True)
class Load:
    model: str
    site: Site | None
    matrices: dict[int, Loaded] = field(default_factory=dict)  # by the parameter's id


class Overwritten:
    def __init__(self, recorder: Recorder, probe: str) -> None:
        self._recorder = recorder
        self._loads: list[Load] = []
        self._trained: dict[int, weakref.ref[Tensor]] = {}  # by an optimizer that may be gone
        self._depth = 0  # `apply` calls itself for children
        for name in FUNCTIONS:
            recorder.tap.listen(init, name, probe, after=self._initialised)
        recorder.tap.listen(Module, "apply", probe, before=self._applies, after=self._applied)

    def loaded(self, module: Module, state: Mapping[Any, Any], site: Site | None) -> None:
        """Biases and norms are left aside: not every initialisation touches them."""
        own = list(named_parameters(module))
        if any(self._is_trained(param) for _, param in own):
            return
        load = Load(type(module).__name__, site)
        for name, param in own:
            if isinstance(state.get(name), Tensor) and _is_matrix(param):
                load.matrices[id(param)] = Loaded(weakref.ref(param), _sample(param))
        self._loads = [one for one in self._loads if load.matrices.keys().isdisjoint(one.matrices)][1 - KEPT :]
        if load.matrices:
            self._loads.append(load)

    def _initialised(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        if self._loads and isinstance(result, Tensor) and result.numel():
            self._note({result.data_ptr()})

    def _applies(self, args: Any, kwargs: Any) -> None:
        self._depth += 1

    def _applied(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        self._depth -= 1
        if self._loads and not self._depth:
            self._note({param.data_ptr() for _, param in named_parameters(args[0])})

    def _note(self, memory: set[int]) -> None:
        """Something in this memory may have been initialised."""
        site = None
        for load in self._loads:
            for one in load.matrices.values():
                param = one.param()
                if not one.is_reset and param is not None and param.data_ptr() in memory and one.is_overwritten:
                    site = site or self._recorder.sites.here()
                    one.is_reset, one.reset = True, site

    def _is_trained(self, param: Tensor) -> bool:
        ref = self._trained.get(id(param))
        return ref is not None and ref() is param

    def trains(self, tracked: TrackedOptimizer) -> list[OverwrittenFacts]:
        """An optimizer takes its first step: those loads of which no matrix is left."""
        self._trained.update((id(param), weakref.ref(param)) for param in tracked.ledger.params)
        loads, self._loads = self._loads, []
        found = []
        for load in loads:
            matrices = list(load.matrices.values())
            if all(one.is_reset and one.is_overwritten for one in matrices):
                found.append(OverwrittenFacts(load.model, load.site, matrices[0].reset, len(matrices)))
        return found


def _is_matrix(param: Tensor) -> bool:
    return type(param.data) is Tensor and param.ndim > 1 and param.numel() >= FEWEST and not param.is_meta


def _sample(param: Tensor) -> Tensor:
    with torch.no_grad():
        flat = param.detach().reshape(-1)
        return flat[:: max(1, flat.numel() // SAMPLED)][:SAMPLED].to("cpu", torch.float64, copy=True)


def _are_related(one: Tensor, other: Tensor) -> bool:
    if torch.equal(one, other):
        return True
    a, b = one - one.mean(), other - other.mean()
    norm = float(a.norm() * b.norm())
    return norm > 0 and abs(float(a @ b)) > RELATED * norm
