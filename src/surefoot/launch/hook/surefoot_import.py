"""Call something right after a module was imported.

Looking for a module is not importing it: `importlib.util.find_spec("torch")` is how libraries ask whether it exists.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # the real one takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class _Finder:
    """One for all modules that somebody waits for, so that other imports are asked about once."""

    def __init__(self, calls: Mapping[str, Callable[[], None]]) -> None:
        self._calls = dict(calls)
        self._looking: set[str] = set()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in self._calls or name in self._looking:
            return None
        self._looking.add(name)  # for what would be found without us
        try:
            spec = self._others_find(name, path, target)
        finally:
            self._looking.discard(name)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _Loader(spec.loader, self, name)
        return spec

    def _others_find(self, name: str, path: Any, target: Any) -> Any:
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self else None
            if spec is not None:
                return spec
        return None

    def loaded(self, name: str) -> None:
        if self in sys.meta_path and name in self._calls:
            call = self._calls.pop(name)
            if not self._calls:
                self.forget()
            call()

    def forget(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)


class _Loader:
    def __init__(self, loader: Any, finder: _Finder, name: str) -> None:
        self._loader = loader
        self._finder = finder
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._finder.loaded(self._name)


def when_imported(name: str, call: Callable[[], None]) -> Callable[[], None]:
    """Call it once, right after the import of the module, or now if that is past. Returns how to take it back."""
    return when_any_imported({name: call})


def when_any_imported(calls: Mapping[str, Callable[[], None]]) -> Callable[[], None]:
    """The same for several modules, each with a call of its own."""
    waiting = {name: call for name, call in calls.items() if name not in sys.modules}
    finder = _Finder(waiting)
    if waiting:
        sys.meta_path.insert(0, finder)
    for name, call in calls.items():
        if name not in waiting:
            call()
    return finder.forget
