"""Settings of a run: names and plain values, flattened, with secrets masked as in the command."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from enum import Enum
from pathlib import PurePath
from typing import Any

from surefoot.facts.frozen import frozen
from surefoot.runlog.secret import keeps_secrets, masked_value
from surefoot.runlog.storable_text import storable

PREFIX = "setting:"  # of their keys in the table `meta`
SEEN = "seen/"  # of the names of what surefoot saw itself
MOST = 2000  # of one call: more are data, not settings
LONGEST = 1000  # characters of a text, items of a list
DEEPEST = 8  # levels
_PLAIN = (bool, int, float, str)

Value = bool | int | float | str | list[Any] | None


@frozen
class Setting:
    """As it was stored. `source` tells who said so: "config", "argparse", "click", "hydra", "wandb", "seen"…"""

    value: Value
    source: str = ""

    @property
    def type(self) -> str:
        return "none" if self.value is None else type(self.value).__name__

    @property
    def number(self) -> float | None:
        return float(self.value) if isinstance(self.value, bool | int | float) else None

    @property
    def text(self) -> str | None:
        """As people write it."""
        if self.value is None or isinstance(self.value, str):
            return self.value
        return json.dumps(self.value, ensure_ascii=False)


def flat(given: Any) -> dict[str, Value]:
    """Of a mapping, a dataclass or a namespace: what is inside others is named with a dot, as `optim.lr`."""
    inner = _inner(given)
    if inner is None:
        raise TypeError(f"settings are a dict, a dataclass or a namespace, got {type(given).__name__}.")
    found: dict[str, Value] = {}
    for name, value in _walk(inner, "", 0):
        if len(found) == MOST:
            break
        found[name] = _masked(name, value)
    return found


def as_meta(name: str, value: Value, source: str) -> tuple[str, str]:
    """Key and text."""
    return PREFIX + name, json.dumps([source, value], ensure_ascii=False)


def read_settings(meta: Mapping[str, str]) -> dict[str, Setting]:
    """Those of one process, in the order of their names; what can't be read is left out."""
    found = {}
    for key in sorted(key for key in meta if key.startswith(PREFIX)):
        try:
            source, value = json.loads(meta[key])
        except (ValueError, TypeError, RecursionError):
            continue
        found[key.removeprefix(PREFIX)] = Setting(value, str(source))
    return found


def _walk(inner: Mapping[Any, Any], lead: str, depth: int) -> Iterator[tuple[str, Value]]:
    for key, value in inner.items():
        if str(key).startswith("_") and depth == 0:  # private attributes of a namespace
            continue
        name = storable(lead + _key(key))
        deeper = _inner(value) if depth < DEEPEST else None
        if deeper:
            yield from _walk(deeper, f"{name}.", depth + 1)
        else:
            yield name, _plain(value)


def _inner(value: Any) -> Mapping[Any, Any] | None:
    """What is in it, if it has parts with names."""
    if isinstance(value, Mapping):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
    if type(value).__name__.endswith("Namespace") and hasattr(value, "__dict__"):
        return dict(vars(value))
    return None


def _key(key: Any) -> str:
    return key if isinstance(key, str) else str(_plain(key))


def _plain(value: Any) -> Value:
    """No object of the program is asked for its text: that may be long, and tell an address that is never the same."""
    if isinstance(value, Enum):
        return value.name
    if value is None or type(value) in _PLAIN:
        return storable(value[:LONGEST]) if isinstance(value, str) else value
    if isinstance(value, _PLAIN):  # of a class of its own, such as numpy.float64
        return _plain(next(kind for kind in _PLAIN if isinstance(value, kind))(value))
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        return [_plain(item) for item in list(items)[:LONGEST]]
    if isinstance(value, PurePath | date) or type(value).__module__ == "torch":
        return storable(_text(value)[:LONGEST])
    if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0:
        return _plain(value.item())
    if isinstance(value, Mapping):
        return [_key(key) for key in value][:LONGEST]  # an empty one, or one that lies too deep
    kind = value if isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")) else type(value)
    return storable(f"{getattr(kind, '__module__', '')}.{getattr(kind, '__qualname__', type(kind).__name__)}")


def _text(value: Any) -> str:
    """Of a path, a date, a dtype or a device; a tensor only tells its shape."""
    shape = getattr(value, "shape", None)
    return str(value) if shape is None else f"{type(value).__name__}{tuple(shape)}"


def _masked(name: str, value: Value) -> Value:
    if isinstance(value, list):
        return [_masked(name, item) for item in value]
    if isinstance(value, str):
        return value if keeps_secrets() else masked_value(re.split(r"[./]", name)[-1], value)
    return value
