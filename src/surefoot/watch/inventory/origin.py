"""Watch where parameters come from: loaded, copied, put in the place of others, made while training runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import Module, Parameter

from surefoot.watch.inventory.module import parameters_of, part
from surefoot.watch.inventory.parameter_mark import Marks
from surefoot.watch.inventory.registering import on_module, on_parameter

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder


def watch_origins(recorder: Recorder, marks: Marks, on_news: Callable[[], None]) -> None:
    """Note on the marks where parameters come from; `on_news` when a known model gets other parameters."""

    def loaded(begun: None, args: Any, kwargs: Any, result: Any) -> None:
        for param in parameters_of(args[0]):
            marks.of(param).loaded = True

    def copied(begun: None, args: Any, kwargs: Any, result: Any) -> None:
        marks.note_copied(args[0])

    def note_parameter(owner: Module, name: str, param: Any) -> None:
        old = part(owner, "_parameters").get(name)
        site = recorder.sites.here()
        if isinstance(param, Parameter) and recorder.num_backwards:
            mark = marks.of(param)
            mark.made_at, mark.made_in = mark.made_at or site, mark.made_in or type(owner).__name__
        if id(owner) in recorder.names.scan.modules and old is not param:
            if old is not None:
                marks.of(old).replaced_at = site
            on_news()

    def note_module(owner: Module, name: str, module: Any) -> None:
        if id(owner) not in recorder.names.scan.modules:
            return
        old = part(owner, "_modules").get(name)
        if old is not None and old is not module:
            site = recorder.sites.here()
            for param in parameters_of(old):
                marks.of(param).replaced_at = site
        on_news()

    def parameter_comes(owner: Module, name: str, param: Any) -> None:
        if recorder.num_optimizers:
            recorder.tap.run("setup", note_parameter, owner, name, param)

    def module_comes(owner: Module, name: str, module: Any) -> None:
        if recorder.num_optimizers:
            recorder.tap.run("setup", note_module, owner, name, module)

    recorder.tap.listen(torch.nn.Module, "load_state_dict", "setup", after=loaded)
    recorder.tap.listen(torch.nn.Module, "__setstate__", "setup", after=copied)
    on_parameter(recorder.tap, parameter_comes)
    on_module(recorder.tap, module_comes)
