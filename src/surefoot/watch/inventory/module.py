"""Modules looked at from outside: none of their methods, properties or comparisons is called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import Tensor
from torch.nn import Module


def part(module: Any, name: str) -> dict[str, Any]:
    """One of the dicts in which a module keeps what was registered; empty where there is none."""
    try:
        found = object.__getattribute__(module, "__dict__").get(name)
    except AttributeError:
        return {}
    return found if isinstance(found, dict) else {}


def attribute(module: Any, name: str, default: Any = None) -> Any:
    """A plain attribute as it is stored."""
    try:
        return object.__getattribute__(module, "__dict__").get(name, default)
    except AttributeError:
        return default


def is_training(module: Any) -> bool:
    mode = attribute(module, "training")
    inner = part(module, "_modules").get("_orig_mod") if mode is None else None  # a compiled one has that of its model
    return is_training(inner) if inner is not None else mode is not False


def named_modules(module: Module, prefix: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, Module]]:
    """As `module.named_modules()` has them, each once."""
    seen = set() if seen is None else seen
    stack = [(prefix, module)]
    while stack:
        path, one = stack.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield path, one
        inner = [(f"{path}.{name}" if path else name, child) for name, child in part(one, "_modules").items()]
        stack += reversed([(name, child) for name, child in inner if child is not None])


def modules_of(module: Module) -> list[Module]:
    """As `module.modules()` has them. Programs that switch modes at every step come by here each time."""
    seen: dict[int, Module] = {}
    stack = [module]
    while stack:
        one = stack.pop()
        if id(one) not in seen:
            seen[id(one)] = one
            if inner := part(one, "_modules"):
                stack += [child for child in reversed(inner.values()) if child is not None]
    return list(seen.values())


def parameters_of(module: Module) -> list[Tensor]:
    """As `module.parameters()` has them, each once."""
    registered = [param for one in modules_of(module) for param in part(one, "_parameters").values()]
    return list({id(param): param for param in registered if param is not None}.values())


def own_parameters(module: Module) -> list[Tensor]:
    return [param for param in part(module, "_parameters").values() if param is not None]


def named_parameters(module: Module) -> Iterator[tuple[str, Tensor]]:
    """As `module.named_parameters()` has them, each once."""
    seen: set[int] = set()
    for path, one in named_modules(module):
        for name, param in part(one, "_parameters").items():
            if param is not None and id(param) not in seen:
                seen.add(id(param))
                yield f"{path}.{name}" if path else name, param
