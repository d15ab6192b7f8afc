"""All modules that live, known by torch's own registration hooks: the heap is searched once, if at all."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from torch.nn import Module

from surefoot.watch.instances import live
from surefoot.watch.inventory.module import part
from surefoot.watch.inventory.registering import on_module, on_parameter

if TYPE_CHECKING:
    from surefoot.watch.tap import Tap

TIDY_AT = 1024  # references; fewer are not worth looking for dead ones


class Registry:
    """Holds nothing alive."""

    def __init__(self) -> None:
        self.num_noted = 0  # as long as it is the same, there are no new ones
        self._known: dict[int, weakref.ref[Module]] = {}
        self._tidy_at = TIDY_AT

    def listen(self, tap: Tap) -> None:
        """From now on. A module without parameters and without children is known by who holds it."""
        tap.listen(Module, "__setstate__", "registry", after=self._was_copied)
        self._tap = tap
        on_parameter(tap, self._registers)
        on_module(tap, self._registers)

    def scan(self) -> None:
        """Those made before: one look at all objects that the garbage collector knows."""
        for module in live(Module):
            self._note(module)

    def alive(self) -> list[Module]:
        found = [ref() for ref in list(self._known.values())]
        return [module for module in found if module is not None and "_modules" in module.__dict__]

    def _registers(self, owner: Module, name: str, inner: Any) -> None:
        if not self._tap.on:
            return
        self._note(owner)
        if isinstance(inner, Module):
            self._note(inner)

    def _was_copied(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        """Copies and unpickled modules are filled without being registered."""
        self._note(args[0])
        for child in part(args[0], "_modules").values():
            if child is not None:
                self._note(child)

    def _note(self, module: Module) -> None:
        known = self._known.get(id(module))
        if known is not None and known() is module:
            return
        try:
            self._known[id(module)] = weakref.ref(module)
        except TypeError:  # a class that allows no weak references
            return
        self.num_noted += 1
        if len(self._known) > self._tidy_at:
            self._known = {key: ref for key, ref in self._known.items() if ref() is not None}
            self._tidy_at = max(TIDY_AT, 2 * len(self._known))


def all_roots() -> list[Module]:
    """Of this process, whoever watches it: models that no other module holds, biggest first."""
    from surefoot.watch.inventory.model_scan import scan_models

    registry = Registry()
    registry.scan()
    return [model for ref in scan_models(registry.alive()).roots if (model := ref()) is not None]
