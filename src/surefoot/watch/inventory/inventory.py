"""Optimizers, models and parameters, as facts."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from torch import Tensor
from torch.nn import Module
from torch.nn.parameter import is_lazy

from surefoot.facts import ModelFacts, ParameterFacts, PassingFacts, Site
from surefoot.watch.inventory.lineage import Lineage
from surefoot.watch.inventory.misspelling import is_misspelled, misspellings
from surefoot.watch.inventory.model_scan import Hiding, ModelScan, ParameterPlace
from surefoot.watch.inventory.module import modules_of, parameters_of, part
from surefoot.watch.inventory.optimizer import optimizer_facts
from surefoot.watch.inventory.parameter_mark import Mark, Marks
from surefoot.watch.source import files_of, find_assignment, find_freezing, find_in_class

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer


class Inventory:
    """Reads facts off the newest model scan, the marks and the tracked optimizers."""

    def __init__(self, recorder: Recorder, marks: Marks, lineage: Lineage) -> None:
        self._recorder = recorder
        self._marks = marks
        self._lineage = lineage
        self._made: dict[int, int] = {}  # id of a tracked optimizer to the moment of its making
        self._numbers: dict[int, tuple[weakref.ref[Module], int]] = {}  # by the identity of a model
        self._num_models = 0
        self._misspelled: set[int] = set()
        self._passing: dict[Site, tuple[str, int]] = {}  # lines in a `forward` that make parameters: kind, how often

    def note_made(self, tracked: TrackedOptimizer) -> None:
        """What exists now is older than this optimizer."""
        self._take_census()
        self._marks.moment += 1
        self._made[tracked.id] = self._marks.moment

    def _take_census(self) -> ModelScan:
        scan = self._recorder.names.learn()
        self._marks.forget_gone()
        for place in scan.places.values():
            param = place.param()
            if param is not None:
                mark = self._marks.of(param)
                mark.home = (scan.roots[place.root], place.name) if place.root >= 0 else None
                mark.was_frozen |= not param.requires_grad
        return scan

    def facts(self, all_tracked: list[TrackedOptimizer], owned: frozenset[int]) -> dict[str, Any]:
        scan = self._take_census()
        roots = self._taking_part(scan, owned)
        models = [model for root in roots if (model := scan.roots[root]()) is not None]
        files = self._files(models)
        made = [self._made.get(tracked.id) for tracked in all_tracked if tracked.num_updates]
        params = list(self._params(scan, set(roots), all_tracked, owned))
        named = [(self._recorder.names.of(param), param) for param, _ in params]
        frozen = sum(not param.requires_grad for param, _ in params)
        return {
            "optimizers": tuple(
                optimizer_facts(tracked, optimizer, scan, self._lineage.ancestors(tracked))
                for tracked in all_tracked
                if (optimizer := tracked.optimizer()) is not None
            ),
            "models": tuple(self._model_facts(model) for model in models),
            "parameters": tuple(self._parameter_facts(*param, scan, all_tracked, made) for param in params),
            "misspellings": tuple(misspellings(models, named, files)),
            "passing": tuple(PassingFacts(site, *seen) for site, seen in self._passing.items()),
            "frozen_at": find_freezing(files) if frozen > len(params) // 2 else None,
        }

    def note_passing(self, strangers: list[Tensor]) -> None:
        """New parameters were found in a graph; tell those that a `forward` made."""
        marks = [self._marks.of(param) for param in strangers]
        for site, kind in {(mark.made_at, mark.made_in) for mark in marks}:
            if site is not None and site.function.endswith("forward"):
                self._passing[site] = (kind, self._passing.get(site, ("", 0))[1] + 1)
                self._recorder.setup_due = True

    def has_new_misspelling(self, params: Iterable[Tensor]) -> bool:
        """Whether somebody set a misspelled attribute since the last look."""
        for param in params:
            names = vars(param)
            if names and id(param) not in self._misspelled and any(map(is_misspelled, names)):
                self._misspelled.add(id(param))
                return True
        return False

    def _taking_part(self, scan: ModelScan, owned: frozenset[int]) -> list[int]:
        """Models of which a parameter is held by an optimizer or reached by a loss."""
        taking_part = {
            place.root
            for key, place in scan.places.items()
            if key in owned or ((p := place.param()) is not None and self._marks.of(p).reached)
        }
        return sorted(root for root in taking_part if root >= 0)

    def _files(self, models: list[Module]) -> list[str]:
        """The user's files: those seen on the stack, and those of the models' classes."""
        sites = self._recorder.sites
        kinds = {type(module) for model in models for module in modules_of(model)}
        own = [file for kind in kinds for file in files_of(kind) if sites.is_user(file)]
        return sorted({*sites.files(), *own})

    def _params(
        self, scan: ModelScan, roots: set[int], all_tracked: list[TrackedOptimizer], owned: frozenset[int]
    ) -> Iterator[tuple[Tensor, ParameterPlace | None]]:
        placed: set[int] = set()
        for key, place in scan.places.items():
            param = place.param()
            if param is not None and (place.root in roots or key in owned or self._marks.of(param).reached):
                placed.add(key)
                yield param, place
        for param in [p for a in all_tracked for p in a.ledger.params] + self._recorder.unowned.alive():
            if id(param) not in placed:
                placed.add(id(param))
                yield param, None

    def _number(self, model: Module) -> int:
        known = self._numbers.get(id(model))
        if known is None or known[0]() is not model:
            self._num_models += 1
            known = self._numbers[id(model)] = (weakref.ref(model), self._num_models)
        return known[1]

    def _model_facts(self, model: Module) -> ModelFacts:
        params = list(parameters_of(model))
        trainable = sum(param.requires_grad for param in params)
        return ModelFacts(self._number(model), type(model).__name__, num_params=len(params), num_trainable=trainable)

    def _parameter_facts(
        self,
        param: Tensor,
        place: ParameterPlace | None,
        scan: ModelScan,
        all_tracked: list[TrackedOptimizer],
        made: list[int | None],
    ) -> ParameterFacts:
        mark = self._marks.of(param)
        module = None if place is None else place.module()
        model = None if place is None or place.root < 0 else scan.roots[place.root]()
        hiding = scan.hidings.get(id(param if model is None else model))
        return ParameterFacts(
            name=self._recorder.names.of(param),
            model=None if model is None else self._number(model),
            shape=() if is_lazy(param) else tuple(param.shape),
            dtype=str(param.dtype).removeprefix("torch."),
            requires_grad=param.requires_grad,
            optimizers=tuple(tracked.id for tracked in all_tracked if id(param) in tracked.ids),
            module_kind="" if module is None else type(module).__name__,
            reached=mark.reached,
            before_trained=mark.before_trained,
            after_trained=mark.after_trained,
            nonzero=mark.nonzero,
            late=place is not None and bool(made) and all(m is not None and mark.seen_at >= m for m in made),
            eval_mode=module is not None and not module.training,
            loaded=mark.loaded,
            copied=self._is_copied(place, model),
            by_hand=mark.by_hand,
            trained=mark.trained,
            thawed=mark.is_thawed(param),
            made_at=mark.made_at,
            hidden_in="" if hiding is None else hiding.name,
            hidden_as="" if hiding is None else hiding.kind,
            hidden_at=None if hiding is None else self._assigned_at(hiding),
            had_home=place is None and mark.home is not None,
            replaced_by=self._successor(mark, scan) if place is None else "",
            replaced_at=mark.replaced_at if place is None else None,
        )

    def _is_copied(self, place: ParameterPlace | None, model: Module | None) -> bool:
        """The model or its direct child. Deeper copies are how some layers are built, such as a stack of blocks."""
        if place is None or model is None:
            return False
        child = part(model, "_modules").get(place.name.partition(".")[0])
        return self._marks.is_copy(model) or self._marks.is_copy(child)

    def _assigned_at(self, hiding: Hiding) -> Site | None:
        holder = hiding.holder()
        found = None if holder is None else find_in_class(type(holder), hiding.attribute)
        return found or find_assignment(self._recorder.sites.files(), hiding.attribute)

    def _successor(self, mark: Mark, scan: ModelScan) -> str:
        """The name of the parameter that now has its place."""
        root, name = mark.home if mark.home is not None else (None, "")
        model = None if root is None else root()
        if model is None:
            return ""
        for place in scan.places.values():
            if place.name == name and place.root >= 0 and scan.roots[place.root]() is model:
                param = place.param()
                return "" if param is None else self._recorder.names.of(param)
        return ""
