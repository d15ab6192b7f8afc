"""All rules: found by walking the family folders, and by the entry points of plug-ins."""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType

from surefoot.rules.rule import Rule

ENTRY_POINT_GROUP = "surefoot.rules"


def _walk(package: ModuleType) -> Iterator[Rule]:
    for info in pkgutil.walk_packages(package.__path__, prefix=f"{package.__name__}."):
        found = getattr(importlib.import_module(info.name), "check", None)
        if isinstance(found, Rule):
            yield found


def _plugins() -> Iterator[Rule]:
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        loaded = entry.load()
        if isinstance(loaded, Rule):
            yield loaded
        elif isinstance(loaded, ModuleType):
            found = getattr(loaded, "check", None)
            yield from [found] if isinstance(found, Rule) else _walk(loaded)
        else:
            raise TypeError(f"entry point {entry.name!r} must name a rule or a package of rules, got {loaded!r}")


@cache
def catalogue() -> dict[str, Rule]:
    """Rules by name, in the order of family and name."""
    rules = [*_walk(importlib.import_module("surefoot.rules")), *_plugins()]
    return {r.name: r for r in sorted(rules, key=lambda r: (r.family, r.name))}
