"""What `MODULE:NAME` names on a command line."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any


class NamingError(ValueError):
    """There is no such thing; the message says what there is."""


def load_module(name: str) -> ModuleType:
    """A module by its name, from the present folder as `python -m` would, or a file by its path."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    path = Path(name)
    if path.suffix == ".py":
        if not path.is_file():
            raise NamingError(f"there is no file {name!r} in {folder}.")
        sys.path.insert(0, str(path.parent.absolute()))
        name = path.stem
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and name.startswith(error.name):
            raise NamingError(f"there is no module {name!r} in {folder}, nor is one installed.") from None
        raise


def load_named(target: str) -> Any:
    """The object that `MODULE:NAME` names; NAME may have dots."""
    module_name, colon, name = target.rpartition(":")
    if not colon or not module_name or not name:
        raise NamingError(f"name it as MODULE:NAME, such as train:make_loop or train.py:make_loop, got {target!r}.")
    found: Any = load_module(module_name)
    for part in name.split("."):
        if not hasattr(found, part):
            there = ", ".join(sorted(n for n, v in vars(found).items() if callable(v) and not n.startswith("_"))[:12])
            raise NamingError(f"{module_name} has no {name!r}. It has: {there or 'nothing that could be called'}.")
        found = getattr(found, part)
    return found
