"""Watch where parameters come from: loaded, copied, put in the place of others, made while training runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import Module, Parameter
from torch.nn.modules.module import (
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)

from surefoot.watch.inventory.mark import Marks
from surefoot.watch.patch import Function

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder


def watch_origins(recorder: Recorder, marks: Marks, on_news: Callable[[], None]) -> None:
    """Note on the marks where parameters come from; `on_news` when a known model gets other parameters."""

    def load(original: Function) -> Function:
        def load_state_dict(self: Any, *args: Any, **kwargs: Any) -> Any:
            answer = original(self, *args, **kwargs)
            recorder.guarded("setup", note_loaded, self)
            return answer

        return load_state_dict

    def copy(original: Function) -> Function:
        def __setstate__(self: Any, state: Any) -> None:
            original(self, state)
            recorder.guarded("setup", marks.note_copied, self)

        return __setstate__

    def note_loaded(module: Module) -> None:
        for param in module.parameters():
            marks.of(param).loaded = True

    def note_parameter(owner: Module, name: str, param: Any) -> None:
        old = owner._parameters.get(name)
        site = recorder.sites.here(1)
        if isinstance(param, Parameter) and recorder.num_backwards:
            mark = marks.of(param)
            mark.made_at, mark.made_in = mark.made_at or site, mark.made_in or type(owner).__name__
        if id(owner) in recorder.names.census.modules and old is not param:
            if old is not None:
                marks.of(old).replaced_at = site
            on_news()

    def note_module(owner: Module, name: str, module: Any) -> None:
        if id(owner) not in recorder.names.census.modules:
            return
        old = owner._modules.get(name)
        if old is not None and old is not module:
            site = recorder.sites.here(1)
            for param in old.parameters():
                marks.of(param).replaced_at = site
        on_news()

    def on_parameter(owner: Module, name: str, param: Any) -> None:
        if recorder.num_optimizers:
            recorder.guarded("setup", note_parameter, owner, name, param)

    def on_module(owner: Module, name: str, module: Any) -> None:
        if recorder.num_optimizers:
            recorder.guarded("setup", note_module, owner, name, module)

    recorder.patches.wrap(torch.nn.Module, "load_state_dict", load)
    recorder.patches.wrap(torch.nn.Module, "__setstate__", copy)
    recorder.patches.on_removal(register_module_parameter_registration_hook(on_parameter).remove)
    recorder.patches.on_removal(register_module_module_registration_hook(on_module).remove)
