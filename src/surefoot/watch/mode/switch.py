"""Who was switched to train or to eval mode, and where."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

from torch.nn import Module

from surefoot.facts import EvalModeFacts, Site
from surefoot.watch.inventory.module import is_training, modules_of, own_parameters, parameters_of
from surefoot.watch.mode.layer import mode_layers
from surefoot.watch.tracked_optimizer import TrackedOptimizer

KEPT_SWITCHES = 256  # modules; more are switched one by one only in very large models


@dataclass(slots=True)
class Switched:
    """A module on which `eval()` was called."""

    ref: weakref.ref[Module]
    site: Site | None
    ids: frozenset[int]  # of its parameters

    @property
    def in_eval(self) -> Module | None:
        """The module, if it lives and is still in eval mode."""
        module = self.ref()
        return module if module is not None and not is_training(module) else None


class Switches:
    def __init__(self) -> None:
        self.version = 0  # rises whenever an answer may change
        self.has_news = False  # it rose since somebody last asked
        self.graphs_matter = False  # forwards that record graphs are looked at, until the next backward
        self._pass_is_new = False  # over a loader on which nothing was trained yet
        self._off: dict[int, Switched] = {}
        self._on: list[weakref.ref[Module]] = []  # from eval to train, since the last step
        self._functional: set[int] = set()  # ids of modules that call dropout as a function of their mode

    def note(self, module: Module, mode: bool, was_training: bool, site: Site | None) -> None:
        self.version += 1
        self.has_news = True
        if mode:
            if not was_training:
                self._on = [*self._on[-KEPT_SWITCHES:], weakref.ref(module)]
            if next(reversed(self._off), None) == id(module):
                self.graphs_matter = self._pass_is_new
            return
        self.graphs_matter = True
        if len(self._off) >= KEPT_SWITCHES:
            self._off = {key: switched for key, switched in self._off.items() if switched.in_eval is not None}
        ids = frozenset(id(p) for p in parameters_of(module))
        self._off.pop(id(module), None)  # so that the last switched comes last
        self._off[id(module)] = Switched(weakref.ref(module), site, ids)

    def pass_starts(self) -> None:
        self._pass_is_new = self.graphs_matter = True

    def training_goes_on(self) -> None:
        self._pass_is_new = self.graphs_matter = False

    def note_functional(self, modules: list[Module]) -> None:
        """Dropout was called as a function, with `training=False`, inside these modules."""
        fresh = {id(module) for module in modules} - self._functional
        if fresh:
            self._functional |= fresh
            self.version += 1
            self.has_news = True

    def step_begins(self) -> None:
        self._on.clear()

    def was_switched_on(self, model: Module) -> bool:
        """Whether it, or what holds it, went from eval to train mode since the last step."""
        switched = [module for ref in self._on if (module := ref()) is not None]
        return any(model is inner for module in switched for inner in modules_of(module))

    def eval_mode_of(self, tracked: TrackedOptimizer) -> EvalModeFacts | None:
        """Facts, if all that the optimizer trains is in eval mode and that changes what the models do."""
        off = [(switched, module) for switched in self._off.values() if (module := switched.in_eval) is not None]
        if not off:
            return None
        trained = {id(p) for p in tracked.ledger.params if p.requires_grad}
        covering = [(switched, module) for switched, module in off if not trained.isdisjoint(switched.ids)]
        if not covering or not trained <= frozenset().union(*(switched.ids for switched, _ in covering)):
            return None
        models = [module for _, module in covering]
        if any(_is_trained_in_train_mode(model, trained) for model in models):
            return None
        num_dropout, num_batchnorm = mode_layers(models, in_train=False)
        functional = any(id(inner) in self._functional for model in models for inner in modules_of(model))
        if not (num_dropout or num_batchnorm or functional):
            return None
        frozen = {id(p) for model in models for p in parameters_of(model) if not p.requires_grad}
        return EvalModeFacts(
            models=tuple(type(model).__name__ for model in models),
            site=covering[-1][0].site,
            num_dropout=num_dropout,
            num_batchnorm=num_batchnorm,
            functional_dropout=functional,
            num_frozen=len(frozen),
        )


def _is_trained_in_train_mode(model: Module, trained: set[int]) -> bool:
    """Whether a part that is trained was left in train mode, or put back into it."""
    return any(
        is_training(layer) and not trained.isdisjoint(id(p) for p in own_parameters(layer))
        for layer in modules_of(model)
    )
