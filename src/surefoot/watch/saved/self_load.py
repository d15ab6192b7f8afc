"""Whether `load_state_dict` gives a module what it has already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch.nn import Module

from surefoot.facts import SelfLoadFacts, Site
from surefoot.watch.inventory.module import modules_of, named_parameters
from surefoot.watch.saved.kept_view import is_one
from surefoot.watch.saved.snapshot import Snapshots


def find_self_load(
    snapshots: Snapshots, module: Module, state: Mapping[Any, Any], site: Site | None
) -> SelfLoadFacts | None:
    """Before it is loaded."""
    taken = snapshots.find_unchanged(state)
    if taken is None or not _holds_its_own(module, state) or any(map(_does_more, modules_of(module))):
        return None
    return SelfLoadFacts(type(module).__name__, site, taken.site, taken.module() is module)


def _holds_its_own(module: Module, state: Mapping[Any, Any]) -> bool:
    """Whether every entry lies in the memory of the module's own, and no parameter is missing."""
    params = dict(named_parameters(module))
    own = {**dict(module.named_buffers()), **params}
    if not params or not params.keys() <= state.keys():
        return False
    others = [value for name, value in state.items() if name not in own]  # further names of what is tied
    tied = all(any(is_one(value, param) for param in params.values()) for value in others)
    return tied and all(is_one(state[name], value) for name, value in own.items() if name in state)


def _does_more(module: Module) -> bool:
    """Whether loading calls code of somebody else than torch, for which it may be meant."""
    if module._load_state_dict_pre_hooks or module._load_state_dict_post_hooks:
        return True
    kind = type(module)
    loaders = (kind.load_state_dict, kind._load_from_state_dict, kind.set_extra_state)
    return not all(getattr(loader, "__module__", "").startswith(("torch.", "surefoot.")) for loader in loaders)
