"""Names of modules and parameters that are the same however a model is wrapped."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor
from torch.nn import Module

from surefoot.watch.inventory.module import part
from surefoot.watch.inventory.registry import all_roots

TRANSPARENT = frozenset({"_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module"})


class Naming:
    """Models are numbered in the order in which they are first called: that is the same in both runs."""

    def __init__(self) -> None:
        self.modules: dict[int, str] = {}
        self.params: dict[int, str] = {}
        self.wrappers: list[str] = []
        self._roots: list[Module] = []  # kept, so that an id means what it meant

    def know(self, module: Module) -> None:
        """A call of it begins, outside of all others."""
        if id(module) in self.modules:
            return
        holders = [root for root in all_roots() if any(one is module for one in root.modules())]
        root = holders[0] if holders else module
        prefix = self._prefix(root)
        self._roots.append(root)
        for name, one, is_wrapper in walk(root, prefix):
            self.modules.setdefault(id(one), "" if is_wrapper else name or type(one).__name__)
            if is_wrapper:
                self.wrappers.append(type(one).__name__)
            for own, param in part(one, "_parameters").items():
                if param is not None:
                    self.params.setdefault(id(param), f"{name}.{own}" if name else own)

    def of(self, module: Module) -> str:
        """Nothing for a wrapper, whose output is that of what it wraps."""
        return self.modules.get(id(module), "")

    def buffers(self) -> Iterator[tuple[str, Tensor]]:
        for at, root in enumerate(self._roots):
            for name, one, _ in walk(root, self._prefix(root, at)):
                for own, buffer in part(one, "_buffers").items():
                    if buffer is not None:
                        yield f"{name}.{own}" if name else own, buffer

    def named_params(self) -> Iterator[tuple[str, Tensor]]:
        seen: set[int] = set()
        for root in self._roots:
            for param in root.parameters():
                if id(param) in self.params and id(param) not in seen:
                    seen.add(id(param))
                    yield self.params[id(param)], param

    def _prefix(self, root: Module, at: int | None = None) -> str:
        number = len(self._roots) if at is None else at
        return "" if number == 0 else f"{type(unwrapped(root)).__name__}#{number + 1}"


def walk(module: Module, name: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, Module, bool]]:
    """Name, module, and whether it only wraps another."""
    seen = set() if seen is None else seen
    if id(module) in seen:
        return
    seen.add(id(module))
    inner = _wrapped(module)
    yield name, module, inner is not None
    if inner is not None:
        yield from walk(inner, name, seen)
        return
    for own, child in part(module, "_modules").items():
        if child is not None:
            yield from walk(child, f"{name}.{own}" if name else own, seen)


def unwrapped(module: Module) -> Module:
    inner = _wrapped(module)
    return module if inner is None else unwrapped(inner)


def _wrapped(module: Module) -> Module | None:
    """DDP, a compiled module and their like have one child and no parameter of their own."""
    children = {name: child for name, child in part(module, "_modules").items() if child is not None}
    if len(children) != 1 or any(param is not None for param in part(module, "_parameters").values()):
        return None
    name, child = next(iter(children.items()))
    return child if name in TRANSPARENT or name == "module" else None
