"""Call something right after a module was imported.

Looking for a module is not importing it: `importlib.util.find_spec("torch")` is how libraries ask whether it exists.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # the real one takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class _Finder:
    def __init__(self, name: str, call: Callable[[], None]) -> None:
        self._name = name
        self._call = call
        self._is_looking = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != self._name or self._is_looking:
            return None
        self._is_looking = True  # for what would be found without us
        try:
            spec = self._others_find(name, path, target)
        finally:
            self._is_looking = False
        if spec is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _Loader(spec.loader, self)
        return spec

    def _others_find(self, name: str, path: Any, target: Any) -> Any:
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self else None
            if spec is not None:
                return spec
        return None

    def loaded(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)
            self._call()


class _Loader:
    def __init__(self, loader: Any, finder: _Finder) -> None:
        self._loader = loader
        self._finder = finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._finder.loaded()


def when_imported(name: str, call: Callable[[], None]) -> Callable[[], None]:
    """Call it once, right after the import of the module, or now if that is past. Returns how to take it back."""
    if name in sys.modules:
        call()
        return lambda: None
    finder = _Finder(name, call)
    sys.meta_path.insert(0, finder)
    return lambda: sys.meta_path.remove(finder) if finder in sys.meta_path else None
