"""One look at all live modules: who holds which parameter, under which name.

It is taken before the first step and when something unknown appears, never every step.
"""

import sys
import weakref
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module, Parameter

from surefoot.watch.inventory.module import named_modules, parameters_of, part

MAX_ITEMS = 64  # of a plain container that are looked at: modules come first or not at all
WRAPPERS = {  # modules that only wrap another: the name of the inner one
    "OptimizedModule": "_orig_mod",
    "DistributedDataParallel": "module",
    "DataParallel": "module",
    "FullyShardedDataParallel": "_fsdp_wrapped_module",
}
CONTAINERS = (list, tuple, dict, set, frozenset, deque)


@dataclass(frozen=True, slots=True)
class ParameterPlace:
    """Where a parameter lives."""

    param: "weakref.ref[Tensor]"
    module: "weakref.ref[Module]"  # that holds it, if only in a plain container
    root: int  # index into `ModelScan.roots`
    name: str  # as `root.named_parameters()` has it
    label: str  # the name for messages: with its model where there are several


@dataclass(frozen=True, slots=True)
class Hiding:
    """Something to train in an attribute of a module where `parameters()` does not look.

    That is a module or parameter in a plain list or dict, or a plain tensor that requires a gradient.
    """

    holder: "weakref.ref[Module]"
    attribute: str
    path: str  # "layers[0]"
    kind: str  # "list", "dict", "Tensor"

    @property
    def name(self) -> str:
        return f"{type(self.holder()).__name__}.{self.attribute}"


@dataclass(slots=True)
class ModelScan:
    """Holds nothing alive."""

    roots: "list[weakref.ref[Module]]" = field(default_factory=list)
    places: dict[int, ParameterPlace] = field(default_factory=dict)  # by id of the parameter
    hidings: dict[int, Hiding] = field(default_factory=dict)  # by id of what is hidden
    modules: frozenset[int] = frozenset()  # ids of all modules below a root

    def sharded(self) -> list[Tensor]:
        """Parameters of which each rank holds a part: never in a graph themselves, their passing wholes are."""
        params = [place.param() for place in self.places.values()]
        return [param for param in params if param is not None and hasattr(param, "_local_tensor")]

    def place(self, param: Tensor) -> ParameterPlace | None:
        place = self.places.get(id(param))
        return place if place is not None and place.param() is param else None


def scan_models(modules: list[Module]) -> ModelScan:
    held = {id(child) for m in modules for child in _children(m)}
    held |= {id(param) for m in modules for param in part(m, "_parameters").values()}
    hidden = [(inside, h) for m in modules for inside, h in _hidden_in(m) if id(inside) not in held]
    tops = _tops(modules, held)
    hidings = {id(inside): hiding for inside, hiding in hidden}
    scan = ModelScan([weakref.ref(top) for top in tops], {}, hidings)
    seen: set[int] = set()
    for root, (top, prefix) in enumerate(zip(tops, _prefixes(tops, hidings), strict=True)):
        for path, module in named_modules(top):
            seen.add(id(module))
            for own, param in part(module, "_parameters").items():
                if param is not None and id(param) not in scan.places:
                    name = f"{path}.{own}" if path else own
                    place = ParameterPlace(weakref.ref(param), weakref.ref(module), root, name, prefix + name)
                    scan.places[id(param)] = place
    for inside, hiding in hidden:
        holder = hiding.holder()
        if isinstance(inside, Tensor) and holder is not None:
            scan.places[id(inside)] = ParameterPlace(
                weakref.ref(inside), weakref.ref(holder), -1, hiding.path, hiding.path
            )
    scan.modules = frozenset(seen)
    return scan


def _prefixes(tops: list[Module], hidings: dict[int, Hiding]) -> list[str]:
    """What sets the parameters of several models apart in messages: the variable, else the class and a number."""
    several = sum(id(top) not in hidings for top in tops) > 1
    variables = _variables() if several else {}
    counts: dict[str, int] = {}
    prefixes = []
    for top in tops:
        if (hiding := hidings.get(id(top))) is not None:
            prefixes.append(f"{hiding.path}.")
        elif not several:
            prefixes.append("")
        else:
            name = variables.get(id(top), type(top).__name__)
            counts[name] = number = counts.get(name, 0) + 1
            prefixes.append(f"{name}." if number == 1 else f"{name}({number}).")
    return prefixes


def variable_of(tensor: Tensor) -> str | None:
    """The global variable that holds a tensor, where the running code has one."""
    return next((name for name, value in _globals() if value is tensor), None)


def _variables() -> dict[int, str]:
    """Names of modules in the global variables of the running code, and in objects found there."""
    names: dict[int, str] = {}
    for name, value in _globals():
        _name(names, name, value, deeper=not name.startswith("_"))
    return names


def _globals() -> Iterator[tuple[str, Any]]:
    """The global variables of the running code, innermost first.

    Local variables stay unread: looking at them makes Python keep what they hold.
    """
    frame: FrameType | None = sys._getframe()
    seen: set[int] = set()
    while frame is not None:
        if id(frame.f_globals) not in seen:
            seen.add(id(frame.f_globals))
            yield from list(frame.f_globals.items())
        frame = frame.f_back


def _name(names: dict[int, str], name: str, value: Any, *, deeper: bool) -> None:
    kind = type(value)
    if issubclass(kind, Module):
        names.setdefault(id(unwrapped(value)), name)
    elif deeper and kind.__module__ == "__main__":  # an instance of one of the script's own classes
        for attribute, inside in list(getattr(value, "__dict__", {}).items()):
            _name(names, attribute, inside, deeper=False)


def _children(module: Module) -> Iterator[Module]:
    return (child for child in part(module, "_modules").values() if child is not None)


def _tops(modules: list[Module], held: set[int]) -> list[Module]:
    """Modules with parameters that no other module holds, wrappers taken off, biggest first."""
    tops: dict[int, tuple[Module, int]] = {}
    for module in modules:
        if id(module) not in held:
            inner = unwrapped(module)
            num_params = sum(1 for _ in parameters_of(inner))
            if num_params:
                tops[id(inner)] = (inner, num_params)
    return [top for top, _ in sorted(tops.values(), key=lambda item: -item[1])]


def unwrapped(module: Module) -> Module:
    while (name := WRAPPERS.get(type(module).__name__)) is not None and name in part(module, "_modules"):
        inner = part(module, "_modules")[name]
        if inner is None:
            break
        module = inner
    return module


def _hidden_in(module: Module) -> Iterator[tuple[Any, Hiding]]:
    for attribute, value in list(vars(module).items()):
        if attribute in _OWN:
            continue
        kind = type(value)
        if kind is Tensor and _is_leaf(value):
            yield value, Hiding(weakref.ref(module), attribute, attribute, "Tensor")
        elif issubclass(kind, CONTAINERS):
            for path, inside in _inside(value, attribute, depth=2):
                yield inside, Hiding(weakref.ref(module), attribute, path, kind.__name__)


_OWN = frozenset(torch.nn.Module().__dict__)


def _is_leaf(tensor: Tensor) -> bool:
    return tensor.requires_grad and tensor.is_leaf


def _inside(container: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    items = container.items() if isinstance(container, dict) else enumerate(container)
    for (key, item), _ in zip(items, range(MAX_ITEMS), strict=False):
        kind = type(item)
        if issubclass(kind, (Module, Parameter)) or (kind is Tensor and _is_leaf(item)):
            yield f"{path}[{key!r}]", item
        elif depth and issubclass(kind, CONTAINERS):
            yield from _inside(item, f"{path}[{key!r}]", depth - 1)
