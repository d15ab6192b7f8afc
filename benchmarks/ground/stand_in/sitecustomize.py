"""Runs at the start of every watched workload: the image sets of torchvision become ours, without a download."""

import importlib.machinery
import sys
import types
from collections.abc import Callable, Sequence

OPERATORS = "torchvision._meta_registrations"


class StandIns:
    """Finds torchvision as Python would, and gives it our image sets."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name == "torchvision":  # built for another torch it lacks operators, which no workload calls
            sys.modules[OPERATORS] = types.ModuleType(OPERATORS)
        if name != "torchvision.datasets":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module
            spec.loader.exec_module = lambda module: fill(module, load)  # type: ignore[method-assign]
        return spec


def fill(module: types.ModuleType, load: Callable[[types.ModuleType], None]) -> None:
    load(module)
    import images

    for name in images.NAMES:
        setattr(module, name, getattr(images, name))


sys.meta_path.insert(0, StandIns())  # type: ignore[arg-type]
