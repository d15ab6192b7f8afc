"""Find the random generators that a data set can draw from, and say in which state they are."""

import hashlib
import random
import sys
from collections.abc import Iterator
from contextlib import suppress
from types import FunctionType, MethodType, ModuleType
from typing import Any

import torch
from torch import Tensor

DEPTH = 5  # of objects in objects: data set, transform, list of transforms, transform, generator
MOST_OBJECTS = 512
MOST_ITEMS = 32  # of a list or dict; samples come by the thousand, transforms do not


def find(data_set: Any, collate: Any = None) -> dict[str, Any]:
    """Generators by name: those of libraries, those that data set and collate function hold, those of their module."""
    found: dict[str, Any] = {"random": random, "torch": torch}
    if "numpy" in sys.modules:
        found["numpy.random"] = sys.modules["numpy"].random
    seen: set[int] = set()
    for root, holder in (("dataset", data_set), ("collate_fn", collate)):
        for name, one in _within(root, holder, DEPTH, seen):
            found.setdefault(name, one)
    for name, value in list(vars(sys.modules.get(type(data_set).__module__, torch)).items()):
        if is_generator(value) and id(value) not in seen:
            found.setdefault(name, value)
    return found


def is_global(name: str) -> bool:
    return name in ("random", "torch", "numpy.random")


def is_generator(value: Any) -> bool:
    if isinstance(value, random.Random | torch.Generator):
        return True
    return type(value).__module__.startswith("numpy.random") and hasattr(value, "standard_normal")


def state_of(generator: Any) -> str:
    """A digest of its state; nothing is drawn."""
    if generator is torch:
        state: Any = torch.get_rng_state()
    elif hasattr(generator, "getstate"):
        state = generator.getstate()
    elif hasattr(generator, "get_state"):  # of torch, or of numpy's older kind
        state = generator.get_state()
    else:
        state = generator.bit_generator.state
    return hashlib.blake2b(_text(state).encode(), digest_size=8).hexdigest()


def _text(state: Any) -> str:
    if isinstance(state, dict):
        return str([(key, _text(value)) for key, value in state.items()])
    if isinstance(state, tuple):
        return str([_text(value) for value in state]) if len(state) < MOST_ITEMS else str(state)
    return str(state.tolist() if hasattr(state, "tolist") else state)


def _within(name: str, value: Any, depth: int, seen: set[int]) -> Iterator[tuple[str, Any]]:
    if id(value) in seen or len(seen) > MOST_OBJECTS:
        return
    seen.add(id(value))
    if is_generator(value):
        yield name, value
    elif depth:
        for inner_name, inner in _parts(name, value):
            yield from _within(inner_name, inner, depth - 1, seen)


def _parts(name: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Tensor | ModuleType | type | str | bytes | int | float) or hasattr(type(value), "__array__"):
        return []
    if isinstance(value, list | tuple):
        return [(f"{name}[{i}]", one) for i, one in enumerate(value[:MOST_ITEMS])]
    if isinstance(value, dict):
        items = [item for item, _ in zip(value.items(), range(MOST_ITEMS), strict=False)]
        return [(f"{name}[{key!r}]", one) for key, one in items]
    if isinstance(value, MethodType):
        return [(name, value.__self__)]
    if isinstance(value, FunctionType):
        return _of_function(name, value)
    return [(f"{name}.{key}", one) for key, one in list(getattr(value, "__dict__", {}).items())]


def _of_function(name: str, function: FunctionType) -> list[tuple[str, Any]]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
    inner = []
    for key, cell in cells:
        with suppress(ValueError):  # it is empty
            inner.append((f"{name}.{key}", cell.cell_contents))
    space = function.__globals__
    return inner + [(key, space[key]) for key in function.__code__.co_names if is_generator(space.get(key))]
