"""Whether a program seeds itself, and what it loads and saves."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

from surefoot.check.experiment import Result
from surefoot.launch.hook.surefoot_import import when_imported


def hear(owner: Any, name: str, tell: Callable[[], None]) -> None:
    original = getattr(owner, name)

    @wraps(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if args or kwargs:  # without a seed it is no seed
            tell()
        return original(*args, **kwargs)

    setattr(owner, name, wrapper)


def seed_all(seed: int) -> None:
    """The generators that are there."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


class Habits:
    """Listens from the very start, because seeds may be set before torch is imported."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def install(self) -> None:
        hear(random, "seed", lambda: self._seeded("random.seed"))
        when_imported("numpy", self._numpy)

    def install_torch(self, torch: Any) -> None:
        for owner in (torch, torch.random):
            hear(owner, "manual_seed", lambda: self._seeded("torch.manual_seed"))
        hear(torch.nn.Module, "load_state_dict", lambda: self._loaded("load_state_dict"))
        self._hear_whole_models(torch)
        hear(torch, "save", self._saved)
        when_imported("safetensors.torch", self._safetensors)

    def _hear_whole_models(self, torch: Any) -> None:
        original = torch.load

        @wraps(original)
        def load(*args: Any, **kwargs: Any) -> Any:
            loaded = original(*args, **kwargs)
            if isinstance(loaded, torch.nn.Module):  # weights by themselves go through load_state_dict
                self._loaded("torch.load")
            return loaded

        torch.load = load

    def _numpy(self) -> None:
        import numpy as np

        hear(np.random, "seed", lambda: self._seeded("numpy.random.seed"))

    def _safetensors(self) -> None:
        module = sys.modules["safetensors.torch"]
        for name in ("load_file", "load", "load_model"):
            if hasattr(module, name):
                hear(module, name, lambda: self._loaded("safetensors"))

    def _seeded(self, name: str) -> None:
        if name not in self._result.seeds:
            self._result.seeds.append(name)

    def _loaded(self, name: str) -> None:
        if not self._result.steps and name not in self._result.loaded:
            self._result.loaded.append(name)

    def _saved(self) -> None:
        self._result.num_saves += 1
