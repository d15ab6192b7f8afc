"""Watch `torch.load` and `torch.save`, and what models and optimizers take from them and give."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Hashable, Mapping
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import Module
from torch.optim import Optimizer

from surefoot.facts import AliasFacts, ResumeFacts, Site, UnmatchedFacts, UnrestoredFacts
from surefoot.watch.patch import Function
from surefoot.watch.probe import Probe
from surefoot.watch.saved.answer import caller_of, is_thrown_away
from surefoot.watch.saved.checkpoint import LoadedFiles
from surefoot.watch.saved.snapshot import Snapshots
from surefoot.watch.saved.unmatched import compare

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

KEPT = 32  # findings of a kind; a program that has more has them at few lines


class SavedProbe(Probe):
    name = "saved"

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._files = LoadedFiles()
        self._snapshots = Snapshots(recorder)
        self._unmatched: list[UnmatchedFacts] = []
        self._aliases: list[AliasFacts] = []
        self._resumed: dict[int, tuple[weakref.ref[Any], ResumeFacts, int]] = {}  # by id of the optimizer
        self._unrestored: UnrestoredFacts | None = None
        wrap = recorder.patches.wrap
        wrap(torch, "load", self._make_file_load)
        wrap(torch, "save", self._make_file_save)
        wrap(Module, "load_state_dict", self._make_load)
        wrap(Module, "state_dict", self._make_state_dict)
        wrap(Optimizer, "load_state_dict", self._make_optimizer_load)

    # --- wrappers

    def _make_file_load(self, original: Function) -> Function:
        def load(*args: Any, **kwargs: Any) -> Any:
            loaded = original(*args, **kwargs)
            if isinstance(loaded, Mapping | list | tuple):
                file = args[0] if args else kwargs.get("f")
                self._recorder.guarded("saved", self._files.note, loaded, _name(file))
            return loaded

        return load

    def _make_file_save(self, original: Function) -> Function:
        def save(obj: Any, *args: Any, **kwargs: Any) -> None:
            self._recorder.guarded("saved", self._saves, obj)
            original(obj, *args, **kwargs)

        return save

    def _make_load(self, original: Function) -> Function:
        probe = self

        def load_state_dict(self: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
            probe._recorder.guarded("saved", probe._loads, self, state_dict)
            answer = original(self, state_dict, *args, **kwargs)
            probe._recorder.guarded("saved", probe._loaded, self, state_dict, answer, sys._getframe(1))
            return answer

        return load_state_dict

    def _make_state_dict(self, original: Function) -> Function:
        probe = self

        def state_dict(self: Any, *args: Any, **kwargs: Any) -> Any:
            state = original(self, *args, **kwargs)
            if not args and not kwargs.get("keep_vars") and kwargs.get("destination") is None:  # not a part of another
                probe._recorder.guarded("saved", probe._taken, self, state)
            return state

        return state_dict

    def _make_optimizer_load(self, original: Function) -> Function:
        probe = self

        def load_state_dict(self: Any, state_dict: Any, *args: Any, **kwargs: Any) -> None:
            original(self, state_dict, *args, **kwargs)
            probe._recorder.guarded("saved", probe._restored, self, state_dict)

        return load_state_dict

    # --- what happens

    def _saves(self, saved: Any) -> None:
        for found in self._snapshots.save(saved, self._here()):
            self._note(self._aliases, found)

    def _loads(self, module: Module, state: Any) -> None:
        found = self._snapshots.load(module, state, self._here())
        if found is not None:
            self._note(self._aliases, found)

    def _loaded(self, module: Module, state: Any, answer: Any, frame: FrameType) -> None:
        if not isinstance(state, Mapping):
            return
        site = self._here()
        self._files.fill(module, state, site)
        self._snapshots.overwritten(module, state)
        if getattr(answer, "missing_keys", None) and getattr(answer, "unexpected_keys", None):
            caller = caller_of(frame)
            is_unseen = self._recorder.sites.is_user(caller.f_code.co_filename) and is_thrown_away(caller)
            self._note(self._unmatched, compare(module, state, answer, site, is_unseen))

    def _taken(self, module: Module, state: Any) -> None:
        if isinstance(state, Mapping):
            self._snapshots.take(module, state, self._here())

    def _restored(self, optimizer: Optimizer, state: Any) -> None:
        groups = state.get("param_groups", ()) if isinstance(state, Mapping) else ()
        key = id(optimizer)
        facts = ResumeFacts(self._here(), _rates(groups, "lr"), _rates(groups, "initial_lr"))
        ref = weakref.ref(optimizer, lambda _: self._resumed.pop(key, None))
        self._resumed[key] = (ref, facts, self._recorder.account(optimizer).num_updates)

    def _here(self) -> Site | None:
        """The line that called the wrapper."""
        return self._recorder.sites.here(4)

    def _note(self, kept: list[Any], found: Any) -> None:
        if found not in kept:
            kept.append(found)
            del kept[:-KEPT]
            self._recorder.setup_due = True

    # --- what the recorder asks

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        account = self._recorder.accounts.get(optimizer)
        self._unrestored = None
        if account is not None and account.num_updates == 1:
            self._snapshots.trains(account)
            if id(optimizer) not in self._resumed and not optimizer.state:
                self._unrestored = self._files.unrestored(optimizer)
        return self._unrestored

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        facts: dict[str, Any] = {} if self._unrestored is None else {"unrestored": self._unrestored}
        known, account = self._resumed.get(id(optimizer)), self._recorder.accounts.get(optimizer)
        if known is not None and account is not None:
            _, loaded, before = known
            now = _rates(optimizer.param_groups, "initial_lr")
            facts["resume"] = ResumeFacts(
                loaded.site, loaded.lrs, loaded.initial_lrs, now, account.num_updates - before
            )
        return facts

    def setup_facts(self) -> dict[str, Any]:
        return {"unmatched": tuple(self._unmatched), "aliases": tuple(self._aliases)}


def _rates(groups: Any, key: str) -> tuple[float, ...]:
    return tuple(float(group[key]) for group in groups if isinstance(group, Mapping) and group.get(key) is not None)


def _name(file: Any) -> str:
    return Path(file).name if isinstance(file, str | os.PathLike) else type(file).__name__
