"""Watch `torch.load` and `torch.save`, and what models and optimizers take from them and give."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Hashable, Mapping
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import Module
from torch.optim import Optimizer

from surefoot.facts import (
    AliasFacts,
    OverwrittenFacts,
    ResumeFacts,
    SelfLoadFacts,
    Site,
    UnmatchedFacts,
    UnrestoredFacts,
    UnrestoredPartFacts,
)
from surefoot.watch.probe import Probe
from surefoot.watch.saved.answer import caller_of, is_thrown_away
from surefoot.watch.saved.kept_view import KeptViews
from surefoot.watch.saved.loaded_file import LoadedFiles
from surefoot.watch.saved.overwritten import Overwritten
from surefoot.watch.saved.parts import CheckpointParts
from surefoot.watch.saved.self_load import find_self_load
from surefoot.watch.saved.snapshot import Snapshots
from surefoot.watch.saved.unmatched import compare
from surefoot.watch.saved.untrained_optimizer import UntrainedOptimizers

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

KEPT = 32  # findings of a kind; a program that has more has them at few lines


class SavedProbe(Probe):
    name = "saved"

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._files = LoadedFiles()
        self._parts = CheckpointParts()
        self._unrestored_parts: list[UnrestoredPartFacts] = []
        self._snapshots = Snapshots(recorder)
        self._untrained = UntrainedOptimizers(recorder)
        self._overwritten = Overwritten(recorder, self.name)
        self._initialised: list[OverwrittenFacts] = []
        self._unmatched: list[UnmatchedFacts] = []
        self._aliases: list[AliasFacts] = []
        self._kept_views = KeptViews(recorder, self.name, lambda found: self._note(self._aliases, found))
        self._self_loads: list[SelfLoadFacts] = []
        self._resumed: dict[int, tuple[weakref.ref[Any], ResumeFacts]] = {}  # by id of the optimizer
        self._unrestored: UnrestoredFacts | None = None
        listen = recorder.tap.listen
        listen(torch, "load", self.name, after=self._read)
        listen(torch, "save", self.name, before=self._saves)
        listen(Module, "load_state_dict", self.name, before=self._loads, after=self._loaded)
        listen(Module, "state_dict", self.name, after=self._taken)
        listen(Optimizer, "load_state_dict", self.name, after=self._restored)
        listen(
            Optimizer, "state_dict", self.name, after=lambda _, args, kw, state: self._untrained.taken(args[0], state)
        )

    # --- what happens

    def _read(self, begun: None, args: Any, kwargs: Any, loaded: Any) -> None:
        if isinstance(loaded, Mapping | list | tuple):
            name = _name(args[0] if args else kwargs.get("f"))
            self._files.note(loaded, name)
            self._parts.note(loaded, name, self._recorder.names.registry.alive())

    def _saves(self, args: Any, kwargs: Any) -> None:
        saved = args[0] if args else kwargs.get("obj")
        for found in self._snapshots.save(saved, self._here()):
            self._note(self._aliases, found)
        self._untrained.saves(saved, self._here())

    def _loads(self, args: Any, kwargs: Any) -> None:
        module, state = _given(args, kwargs)
        found = self._snapshots.load(module, state, self._here())
        if found is not None:
            self._note(self._aliases, found)
        elif isinstance(state, Mapping) and not kwargs.get("assign") and self._is_unseen(caller_of(sys._getframe(1))):
            itself = find_self_load(self._snapshots, module, state, self._here())
            if itself is not None:
                self._note(self._self_loads, itself)

    def _is_unseen(self, caller: FrameType) -> bool:
        """Whether user code calls, and throws the answer away."""
        return self._recorder.sites.is_user(caller.f_code.co_filename) and is_thrown_away(caller)

    def _loaded(self, begun: None, args: Any, kwargs: Any, answer: Any) -> None:
        module, state = _given(args, kwargs)
        if not isinstance(state, Mapping) or answer is None:
            return
        site = self._here()
        self._files.fill(module, state, site)
        self._snapshots.overwritten(module, state)
        self._overwritten.loaded(module, state, site)
        if getattr(answer, "missing_keys", None) and getattr(answer, "unexpected_keys", None):
            is_unseen = self._is_unseen(caller_of(sys._getframe(1)))
            self._note(self._unmatched, compare(module, state, answer, site, is_unseen))

    def _taken(self, begun: None, args: Any, kwargs: Any, state: Any) -> None:
        is_part = len(args) > 1 or kwargs.get("keep_vars") or kwargs.get("destination") is not None  # of another's
        if not is_part and isinstance(state, Mapping):
            self._snapshots.take(args[0], state, self._here())

    def _restored(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        optimizer, state = _given(args, kwargs)
        groups = state.get("param_groups", ()) if isinstance(state, Mapping) else ()
        key = id(optimizer)
        site = self._here()
        before, file = self._recorder.tracked(optimizer).num_updates, self._files.take(groups, site)
        facts = ResumeFacts(
            site, _rates(groups, "lr"), _rates(groups, "initial_lr"), at_update=before,
            file="" if file is None else file.name, position=None if file is None else file.position,
        )  # fmt: skip
        ref = weakref.ref(optimizer, lambda _: self._resumed.pop(key, None))
        self._resumed[key] = (ref, facts)

    def _here(self) -> Site | None:
        """The line that called the wrapper."""
        return self._recorder.sites.here()

    def _note(self, kept: list[Any], found: Any) -> None:
        if found not in kept:
            kept.append(found)
            del kept[:-KEPT]
            self._recorder.setup_due = True

    # --- what the recorder asks

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        tracked = self._recorder.optimizers.get(optimizer)
        self._unrestored = None
        if tracked is not None and tracked.num_updates == 1:
            self._snapshots.trains(tracked)
            self._kept_views.trains()
            for found in self._overwritten.trains(tracked):
                self._note(self._initialised, found)
            known = self._resumed.get(id(optimizer))
            if known is not None:
                self._files.train(known[1].site)
                self._look_at_parts(known[1])
            elif not optimizer.state:
                self._unrestored = self._files.unrestored(optimizer)
        elif tracked is not None and tracked.num_updates == 2:
            self._untrained.steps(optimizer, tracked)
        return self._unrestored

    def _look_at_parts(self, resumed: ResumeFacts) -> None:
        alive = self._recorder.names.registry.alive()
        owned = self._recorder.optimizers.owners()
        for found in self._parts.unrestored(resumed.file, alive, owned, resumed.site):
            self._note(self._unrestored_parts, found)

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        facts: dict[str, Any] = {} if self._unrestored is None else {"unrestored": self._unrestored}
        known, tracked = self._resumed.get(id(optimizer)), self._recorder.optimizers.get(optimizer)
        if known is not None and tracked is not None:
            loaded, now = known[1], _rates(optimizer.param_groups, "initial_lr")
            num_steps = tracked.num_updates - loaded.at_update
            facts["resume"] = replace(loaded, initial_lrs_now=now, num_steps=num_steps)
        return facts

    def end_facts(self) -> dict[str, Any]:
        return {"untrained_saved": self._untrained.facts()}

    def setup_facts(self) -> dict[str, Any]:
        return {
            "unmatched": tuple(self._unmatched),
            "aliases": tuple(self._aliases),
            "self_loads": tuple(self._self_loads),
            "overwritten": tuple(self._initialised),
            "unrestored_parts": tuple(self._unrestored_parts),
        }


def _rates(groups: Any, key: str) -> tuple[float, ...]:
    return tuple(float(group[key]) for group in groups if isinstance(group, Mapping) and group.get(key) is not None)


def _given(args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Whose `load_state_dict` is called, and what with."""
    return args[0], args[1] if len(args) > 1 else kwargs.get("state_dict")


def _name(file: Any) -> str:
    return Path(file).name if isinstance(file, str | os.PathLike) else type(file).__name__
